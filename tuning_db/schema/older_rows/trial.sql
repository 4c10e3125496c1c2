-- Trials that an older kerlab wrote, as today's would have. Run after a migration and after an import; of rows that are
-- as they should be nothing changes.

-- Why a trial failed was in its message alone.
UPDATE trial SET reason = CASE
  WHEN instr(message, 'wgmma is serialised') > 0 THEN 'serialised'
  WHEN instr(message, ': spills ') > 0 THEN 'spills'
  WHEN instr(message, ': not one block ') > 0 THEN 'occupancy'
  WHEN instr(message, 'shared memory') > 0 THEN 'shared_memory'
  ELSE 'launch' END
WHERE status = 'rejected' AND reason = '';
UPDATE trial SET reason = CASE
  WHEN instr(message, 'thorough check: on the small problem: ') > 0 THEN 'thorough_small'
  WHEN instr(message, 'thorough check: on ') > 0 THEN 'thorough_elsewhere'
  WHEN instr(message, 'thorough check: ') > 0 THEN 'thorough'
  WHEN instr(message, 'on the small problem: ') > 0 THEN 'small_problem'
  ELSE '' END
WHERE status NOT IN ('passed', 'rejected') AND reason = '';
-- Whoever passed had a message only where it was the same program as another.
UPDATE trial SET reason = 'twin' WHERE status = 'passed' AND message <> '' AND reason = '';

-- Messages named their trial, some twice: "NAME: thorough check: on gemm 3x3x3 bf16: NAME: y, ...".
WITH named AS (SELECT id, ': ' || variant || iif(configuration = '', '', ' ' || configuration) ||
                          iif(accuracy = '', '', ' (' || accuracy || ')') || ': ' AS name FROM trial)
UPDATE trial SET message = substr(replace(': ' || message, named.name, ': '), 3)
FROM named WHERE named.id = trial.id AND instr(': ' || message, named.name) > 0;
