-- What a run of a command was for (trial/trial.h: SessionPurpose); of older rows older_rows/session.sql finds it.
ALTER TABLE session ADD COLUMN purpose TEXT NOT NULL DEFAULT '';
