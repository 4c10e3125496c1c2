-- Why a trial has its status, where several things lead to it (trial/trial.h: TrialReason); empty: nothing to add. Of
-- older rows older_rows/trial.sql finds it.
ALTER TABLE trial ADD COLUMN reason TEXT NOT NULL DEFAULT '';
