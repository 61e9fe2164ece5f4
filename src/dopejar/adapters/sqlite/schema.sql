-- The newest schema whole, for a new store. Times are ISO 8601 in UTC, so that they sort as text.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  name TEXT NOT NULL,
  format TEXT NOT NULL,
  started_at TEXT,
  project TEXT NOT NULL,
  project_label TEXT NOT NULL,
  languages TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  imported INTEGER NOT NULL,
  namespace TEXT NOT NULL DEFAULT 'prod',
  cwd TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_by_start ON conversations (started_at);
CREATE INDEX conversations_by_name ON conversations (name);
CREATE INDEX conversations_elsewhere ON conversations (namespace) WHERE namespace <> 'prod';

CREATE TABLE episodes (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL REFERENCES conversations (id) DEFERRABLE INITIALLY DEFERRED,
  place INTEGER NOT NULL,
  at TEXT NOT NULL,
  speaker TEXT NOT NULL,
  origin TEXT NOT NULL,
  project TEXT NOT NULL,
  kind TEXT NOT NULL,
  parent TEXT,
  outcome TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  languages TEXT NOT NULL,
  source_id TEXT NOT NULL,
  note TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX episodes_by_place ON episodes (conversation, place);
CREATE INDEX episodes_by_content ON episodes (substr(content_hash, 1, 16)) WHERE kind = 'turn';

CREATE TABLE records (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  namespace TEXT NOT NULL,
  scope TEXT NOT NULL,
  status TEXT NOT NULL,
  kind TEXT NOT NULL,
  side TEXT NOT NULL,
  valid_from TEXT NOT NULL,
  valid_to TEXT,
  temporary INTEGER NOT NULL,
  assertions INTEGER NOT NULL,
  key TEXT NOT NULL,
  slot TEXT NOT NULL,
  chain TEXT NOT NULL,
  value TEXT NOT NULL,
  layer TEXT NOT NULL,
  sublayer TEXT NOT NULL,
  confidence REAL NOT NULL,
  certainty REAL NOT NULL,
  trust REAL NOT NULL,
  tags TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  version INTEGER NOT NULL,
  made_by TEXT NOT NULL,
  supersedes TEXT,
  superseded_by TEXT,
  approved_by TEXT NOT NULL,
  helpful_count INTEGER NOT NULL,
  harmful_count INTEGER NOT NULL,
  last_accessed_at TEXT,
  attributes TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX records_by_chain ON records (chain, scope, namespace, side);
CREATE INDEX records_by_key ON records (key);
CREATE INDEX records_by_content ON records (content_hash);
CREATE INDEX records_by_age ON records (created_at);
CREATE INDEX records_by_kind ON records (kind, created_at);
-- Two writers cannot both hold the present of one key.
CREATE UNIQUE INDEX records_one_present ON records (namespace, scope, side, key)
  WHERE status = 'active' AND valid_to IS NULL AND temporary = 0 AND key <> '' AND kind NOT IN ('bullet', 'pattern');

CREATE TABLE record_states (
  rowid INTEGER PRIMARY KEY,
  record_id TEXT NOT NULL REFERENCES records (id) DEFERRABLE INITIALLY DEFERRED,
  from_seq INTEGER NOT NULL,
  to_seq INTEGER,
  act_id TEXT NOT NULL,
  status TEXT NOT NULL,
  valid_from TEXT NOT NULL,
  valid_to TEXT,
  image TEXT NOT NULL,
  UNIQUE (record_id, from_seq)
) STRICT;
CREATE INDEX record_states_by_act ON record_states (act_id);

CREATE TABLE evidence (
  rowid INTEGER PRIMARY KEY,
  record_id TEXT NOT NULL REFERENCES records (id) DEFERRABLE INITIALLY DEFERRED,
  at TEXT NOT NULL,
  place INTEGER NOT NULL,
  episode_id TEXT NOT NULL,
  span_start INTEGER NOT NULL,
  span_end INTEGER NOT NULL,
  wording TEXT NOT NULL,
  role TEXT NOT NULL,
  trust REAL NOT NULL,
  confidence REAL NOT NULL,
  certainty REAL NOT NULL,
  act_id TEXT NOT NULL,
  UNIQUE (record_id, at, place)
) STRICT;
CREATE INDEX evidence_by_episode ON evidence (episode_id);

CREATE TABLE proposals (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  act_id TEXT NOT NULL,
  action TEXT NOT NULL,
  state TEXT NOT NULL,
  priority INTEGER NOT NULL,
  at TEXT NOT NULL,
  origin TEXT NOT NULL,
  via TEXT NOT NULL,
  made_by TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  confidence REAL NOT NULL,
  proposer TEXT NOT NULL,
  reviewer TEXT NOT NULL,
  record_id TEXT,
  version INTEGER NOT NULL,
  rationale TEXT NOT NULL,
  reason TEXT NOT NULL,
  payload TEXT NOT NULL,
  targets TEXT NOT NULL,
  evidence TEXT NOT NULL,
  signals TEXT NOT NULL
) STRICT;
CREATE INDEX proposals_queue ON proposals (state, priority, at);
CREATE INDEX proposals_by_record ON proposals (record_id) WHERE record_id IS NOT NULL;

-- What a proposal rests on ("episode"), aims at ("target") and contradicts ("conflict"), for erasure, undo and disputes.
CREATE TABLE proposal_links (
  ref TEXT NOT NULL,
  proposal_id TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL,
  PRIMARY KEY (ref, proposal_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX proposal_links_by_proposal ON proposal_links (proposal_id);

CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY,
  act_id TEXT NOT NULL,
  at TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  from_digest TEXT NOT NULL,
  to_digest TEXT NOT NULL,
  proposal_id TEXT NOT NULL,
  proposer TEXT NOT NULL,
  approver TEXT NOT NULL,
  rules TEXT NOT NULL,
  policy_hash TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX ledger_by_act ON ledger (act_id, seq);
CREATE INDEX ledger_by_target ON ledger (target, seq);
CREATE INDEX ledger_by_time ON ledger (at, seq);

CREATE TABLE tombstones (
  kind TEXT NOT NULL,
  digest TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (kind, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
  src TEXT NOT NULL,
  dst TEXT NOT NULL,
  kind TEXT NOT NULL,
  record_id TEXT NOT NULL,
  PRIMARY KEY (src, dst, kind, record_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_back ON edges (dst, src);
CREATE INDEX edges_by_record ON edges (record_id) WHERE record_id <> '';

-- Full text holds stems, never the text itself. Every printable ASCII sign is part of a term: terms are already cut.
CREATE VIRTUAL TABLE records_text USING fts5 (
  terms, content = '', contentless_delete = 1,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_`{|}~'"
);
CREATE VIRTUAL TABLE episodes_text USING fts5 (
  terms, content = '', contentless_delete = 1,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_`{|}~'"
);
CREATE VIRTUAL TABLE records_terms USING fts5vocab (records_text, row);
CREATE VIRTUAL TABLE episodes_terms USING fts5vocab (episodes_text, row);

CREATE TABLE embedders (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  digest TEXT NOT NULL,
  lexical INTEGER NOT NULL,
  mean BLOB,
  UNIQUE (name, digest)
) STRICT;

CREATE TABLE vectors (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  embedder INTEGER NOT NULL REFERENCES embedders (number),
  owner TEXT NOT NULL,
  owner_row INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  floats BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX vectors_by_owner ON vectors (owner, owner_row, embedder);

-- Beside the vectors and not in them, so that loading the codes does not read the floats.
CREATE TABLE vector_codes (
  number INTEGER PRIMARY KEY REFERENCES vectors (number) ON DELETE CASCADE,
  embedder INTEGER NOT NULL,
  owner TEXT NOT NULL,
  owner_row INTEGER NOT NULL,
  code BLOB NOT NULL
) STRICT;

-- Numbers of vectors that are gone, so that a process's cache follows; number 0 says: load everything anew.
CREATE TABLE vector_drops (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  number INTEGER NOT NULL
) STRICT;

CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  owner TEXT NOT NULL,
  owner_id TEXT NOT NULL
) STRICT;

CREATE TABLE uses (
  record_row INTEGER PRIMARY KEY REFERENCES records (rowid) ON DELETE CASCADE,
  count INTEGER NOT NULL,
  last_at TEXT NOT NULL
) STRICT;

CREATE TABLE injected (
  digest TEXT PRIMARY KEY,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE working_sets (
  problem_id TEXT NOT NULL,
  lane_id TEXT NOT NULL,
  body TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (problem_id, lane_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE shared_references (
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  value TEXT NOT NULL,
  source TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (key, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE held (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  version INTEGER NOT NULL,
  expires_at TEXT,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE reviewers (
  name TEXT PRIMARY KEY,
  passphrase_hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A keyed digest of every row of truth: `source` numbers the table, `row` is the row's key.
CREATE TABLE row_digests (
  source INTEGER NOT NULL,
  row ANY NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY (source, row)
) STRICT, WITHOUT ROWID;
