-- A kernel's files as they were each time its author tried them (`kerlab watch`, the lab), so that any of them can be
-- had back. The id is the number that people name. Texts are stored once, in `source`, by the digest of the text.
-- The column order is that of read_save() in src/db/saves.cpp.
CREATE TABLE save (
  id         INTEGER PRIMARY KEY,
  folder     TEXT NOT NULL,
  family     TEXT NOT NULL,
  variant    TEXT NOT NULL,
  trial      INTEGER REFERENCES trial (id),
  problem    TEXT NOT NULL,
  verdict    TEXT NOT NULL,
  message    TEXT NOT NULL,
  median_us  REAL NOT NULL CHECK (median_us >= 0),
  clock      TEXT NOT NULL,
  created    TEXT NOT NULL
) STRICT;
CREATE INDEX save_by_folder ON save (folder, id);

CREATE TABLE save_file (
  save  INTEGER NOT NULL REFERENCES save (id),
  name  TEXT NOT NULL,
  hash  TEXT NOT NULL REFERENCES source (hash),
  PRIMARY KEY (save, name)
) STRICT, WITHOUT ROWID;
