-- What 'analyzer export --format sqlite' writes; docs/use/export.md says what the columns mean. Times are nanoseconds.
PRAGMA user_version = 2;
CREATE TABLE trace (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE culprits (
  rank INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, mechanism TEXT NOT NULL, share REAL NOT NULL,
  blamed_ns INTEGER NOT NULL, worst_ns INTEGER NOT NULL, episodes INTEGER NOT NULL, confidence TEXT NOT NULL);
CREATE TABLE drivers (
  name TEXT PRIMARY KEY, isrs INTEGER, isr_total_ns INTEGER, isr_max_ns INTEGER, dpcs INTEGER, dpc_total_ns INTEGER, dpc_max_ns INTEGER);
CREATE TABLE episodes (
  id INTEGER PRIMARY KEY, start_ns INTEGER NOT NULL, latency_ns INTEGER NOT NULL, probe TEXT NOT NULL, cpu INTEGER, pid INTEGER,
  tid INTEGER, process TEXT, priority INTEGER, unexplained_ns INTEGER NOT NULL, secondary INTEGER NOT NULL,
  due_ns INTEGER, ready_ns INTEGER, run_ns INTEGER, work_ns INTEGER, lost_ns INTEGER, end_ns INTEGER, deadline_ns INTEGER);
CREATE TABLE glitches (
  number INTEGER PRIMARY KEY, start_ns INTEGER NOT NULL, sound INTEGER NOT NULL, side TEXT NOT NULL, process TEXT,
  episode INTEGER REFERENCES episodes (id), culprit TEXT, told TEXT NOT NULL);
CREATE TABLE causes (
  episode INTEGER NOT NULL REFERENCES episodes (id), place INTEGER NOT NULL, culprit TEXT, mechanism TEXT NOT NULL, ns INTEGER NOT NULL,
  routine TEXT, PRIMARY KEY (episode, place)) WITHOUT ROWID;
CREATE TABLE slices (
  id INTEGER PRIMARY KEY, cpu INTEGER NOT NULL, kind TEXT NOT NULL, start_ns INTEGER NOT NULL, ns INTEGER NOT NULL,
  depth INTEGER NOT NULL, module TEXT, routine TEXT, vector INTEGER, pid INTEGER, tid INTEGER, process TEXT, priority INTEGER,
  waited_ns INTEGER);
CREATE TABLE wakeups (start_ns INTEGER NOT NULL, cpu INTEGER NOT NULL, pid INTEGER, tid INTEGER NOT NULL, process TEXT);
CREATE TABLE power (start_ns INTEGER NOT NULL, cpu INTEGER NOT NULL, what TEXT NOT NULL, value INTEGER);
CREATE TABLE samples (
  start_ns INTEGER NOT NULL, cpu INTEGER NOT NULL, level TEXT NOT NULL, module TEXT, function TEXT, pid INTEGER, tid INTEGER NOT NULL,
  process TEXT, samples INTEGER NOT NULL);
