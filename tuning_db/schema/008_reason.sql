-- Why a trial has its status, where several things lead to it (trial/trial.h: TrialReason); empty: nothing to add. Older
-- kerlabs said it in the message alone.
ALTER TABLE trial ADD COLUMN reason TEXT NOT NULL DEFAULT '';
UPDATE trial SET reason = CASE
  WHEN instr(message, 'wgmma is serialised') > 0 THEN 'serialised'
  WHEN instr(message, ': spills ') > 0 THEN 'spills'
  WHEN instr(message, ': not one block ') > 0 THEN 'occupancy'
  WHEN instr(message, 'shared memory') > 0 THEN 'shared_memory'
  ELSE 'launch' END
WHERE status = 'rejected';
UPDATE trial SET reason = CASE
  WHEN instr(message, 'thorough check: on the small problem: ') > 0 THEN 'thorough_small'
  WHEN instr(message, 'thorough check: on ') > 0 THEN 'thorough_elsewhere'
  WHEN instr(message, 'thorough check: ') > 0 THEN 'thorough'
  WHEN instr(message, 'on the small problem: ') > 0 THEN 'small_problem'
  ELSE '' END
WHERE status NOT IN ('passed', 'rejected');
