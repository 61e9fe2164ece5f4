-- A conversation knows its compartment and its working directory: recall quotes turns of the compartment it was asked
-- for, and reading the turns again knows the instruction files that lay beside them.

ALTER TABLE conversations ADD COLUMN namespace TEXT NOT NULL DEFAULT 'prod';
ALTER TABLE conversations ADD COLUMN cwd TEXT NOT NULL DEFAULT '';
CREATE INDEX conversations_elsewhere ON conversations (namespace) WHERE namespace <> 'prod';
