-- A keyed digest of every row of truth, and in `meta` the sums over them: a row that was changed, added or removed outside
-- the program is named by its digest. What was changed before this step cannot be known.

CREATE TABLE row_digests (
  source INTEGER NOT NULL,
  row ANY NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY (source, row)
) STRICT, WITHOUT ROWID;
