#!/bin/sh
# Puts firegui where this user's desktop finds it, or takes it away again. Needs no administrator and no Python.
#
#   ./install.sh                  into ~/.local
#   ./install.sh --prefix DIR     into DIR; with /usr/local, for every user
#   ./install.sh --remove [--prefix DIR]
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
prefix="${HOME:?HOME is not set: name a place with --prefix}/.local"
remove=no
while [ $# -gt 0 ]; do
    case "$1" in
    --prefix)
        [ $# -gt 1 ] || { echo "install.sh: --prefix needs a folder" >&2; exit 2; }
        prefix=$2
        shift
        ;;
    --remove) remove=yes ;;
    *)
        echo "usage: install.sh [--prefix DIR] [--remove]" >&2
        exit 2
        ;;
    esac
    shift
done

program="$prefix/lib/firegui"
command="$prefix/bin/firegui"
entry="$prefix/share/applications/firegui.desktop"
icons="$prefix/share/icons/hicolor"

rm -rf "$program"
rm -f "$command" "$entry" "$icons/scalable/apps/firegui.svg" "$icons/256x256/apps/firegui.png"
if [ "$remove" = no ]; then
    mkdir -p "$prefix/lib" "$prefix/bin" "$prefix/share/applications" "$icons/scalable/apps" "$icons/256x256/apps"
    cp -R "$here/firegui" "$program"
    ln -s "$program/firegui" "$command"
    cp "$here/firegui.svg" "$icons/scalable/apps/"
    cp "$here/firegui.png" "$icons/256x256/apps/"
    # The entry names the program in full: a desktop may not have this user's bin on its path.
    sed "s|^Exec=firegui|Exec=\"$command\"|" "$here/firegui.desktop" >"$entry"
fi
for tool in "update-desktop-database $prefix/share/applications" "gtk-update-icon-cache -qtf $icons"; do
    command -v "${tool%% *}" >/dev/null 2>&1 && $tool >/dev/null 2>&1 || true
done
if [ "$remove" = yes ]; then
    echo "Removed firegui from $prefix"
else
    echo "Installed $command"
    case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "Add $prefix/bin to PATH to start it by name" ;;
    esac
fi
