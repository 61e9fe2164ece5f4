-- What directs the work is read whenever a conversation or a rule is learned: found by its kind, it costs the same in a
-- large store as in a small one.

CREATE INDEX records_by_kind ON records (kind, created_at);
