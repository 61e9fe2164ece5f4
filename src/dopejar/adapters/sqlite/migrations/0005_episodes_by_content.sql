-- A copy of a conversation is known by its turns: found by the beginning of their hash, whatever id they come under.

CREATE INDEX episodes_by_content ON episodes (substr(content_hash, 1, 16)) WHERE kind = 'turn';
