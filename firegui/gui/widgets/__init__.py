"""Tables, forms, fields and small dialogs that several features share."""
