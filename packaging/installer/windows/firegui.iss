; Inno Setup makes an installer of the folder that PyInstaller made on Windows: iscc /DVersion=0.1.0 firegui.iss
; A project is a folder NAME.firegui: Explorer offers to open it in firegui when it is right-clicked.

#ifndef Version
  #define Version "0.0.0"
#endif

[Setup]
AppId=firegui
AppName=firegui
AppVersion={#Version}
DefaultDirName={autopf}\firegui
DefaultGroupName=firegui
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
OutputBaseFilename=firegui-{#Version}-windows
Compression=lzma2
SolidCompression=yes
ChangesAssociations=yes
LicenseFile=..\..\..\LICENSE

[Files]
Source: "..\..\..\dist\firegui\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\firegui"; Filename: "{app}\firegui-window.exe"

[Registry]
Root: HKA; Subkey: "Software\Classes\Directory\shell\firegui"; ValueType: string; ValueData: "Open in firegui"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Directory\shell\firegui"; ValueType: string; ValueName: "AppliesTo"; ValueData: "System.FileName:""*.firegui"""
Root: HKA; Subkey: "Software\Classes\Directory\shell\firegui"; ValueType: string; ValueName: "Icon"; ValueData: "{app}\firegui-window.exe"
Root: HKA; Subkey: "Software\Classes\Directory\shell\firegui\command"; ValueType: string; ValueData: """{app}\firegui-window.exe"" open ""%1"""
