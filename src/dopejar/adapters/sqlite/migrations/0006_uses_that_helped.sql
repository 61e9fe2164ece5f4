-- Until here every recall counted as a use of what it showed. Only what was cited or acted on counts; a bullet is asked for.

DELETE FROM uses WHERE record_row IN (SELECT rowid FROM records WHERE kind <> 'bullet');
