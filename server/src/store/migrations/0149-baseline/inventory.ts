/**
 * The index of all resources with its change log, the state of engines and their feeds, and the jobs, leases and plans
 * of the servers.
 *
 * All texts that are compared or sorted use collation "C", which has the same order on every PostgreSQL and is the
 * fastest.
 */
export const inventory = `
-- Bodies are stored out of line early, so that the columns of a list stay dense.
create table resource (
  kind text collate "C" not null,
  id text collate "C" not null,
  domain_id text collate "C",
  project_id text collate "C",
  user_id text collate "C",
  name text,
  status text,
  shared boolean not null default false,
  created_at timestamptz,
  updated_at timestamptz,
  -- tells states of the row apart; says nothing about the order of commits
  revision bigint not null,
  body jsonb not null,
  derived jsonb,
  -- the engine that the row is from
  source text collate "C",
  primary key (kind, id)
) with (fillfactor = 85, toast_tuple_target = 512, autovacuum_vacuum_scale_factor = 0.05);
create index resource_project on resource (kind, project_id);
create sequence row_revision start with 1000000000000;

create table private_record (
  kind text collate "C" not null,
  id text collate "C" not null,
  data jsonb not null,
  primary key (kind, id)
);

-- The newest revision. Its row lock makes revisions visible in order.
create table revision (single boolean primary key default true check (single), value bigint not null);
insert into revision (value) values (0);
create table change (
  revision bigint primary key,
  kind text collate "C" not null,
  id text collate "C" not null,
  op text not null,
  domain_id text,
  project_id text,
  user_id text,
  shared boolean not null,
  -- who could see the row before: {domain_id, project_id, user_id, shared}, if that was not the same
  before jsonb,
  at timestamptz not null,
  -- of the declaration that the writer's side table was made for
  signature text,
  readers text[] collate "C"
);
-- Revisions up to this one are no longer in the log.
create table change_pruned (single boolean primary key default true check (single), revision bigint not null);
insert into change_pruned (revision) values (0);

-- Changes get their numbers after their transactions have committed, so that writers of different rows do not wait for one another
-- (docs/decisions/0017-revisions-without-a-lock.md).
create table change_unnumbered (
  row_revision bigint not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  op text not null,
  domain_id text,
  project_id text,
  user_id text,
  shared boolean not null,
  before jsonb,
  signature text,
  at timestamptz not null,
  readers text[] collate "C"
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- A function, so that no client holds the lock: numbers everything that is committed in one go, in the order of the rows' own
-- revisions, which is the order in which one row was changed. Returns the newest number.
create function number_changes() returns bigint language plpgsql as $$
declare
  head bigint;
begin
  if not exists (select from change_unnumbered) then
    return (select value from revision);
  end if;
  select value into head from revision for update;
  -- a statement of its own sees everything that was committed before the lock was granted
  with taken as (delete from change_unnumbered returning *),
    numbered as (
      insert into change
        (revision, kind, id, op, domain_id, project_id, user_id, readers, shared, before, signature, at)
      select head + row_number() over (order by row_revision),
        kind, id, op, domain_id, project_id, user_id, readers, shared, before, signature, at
      from taken
      returning revision)
  update revision set value = head + (select count(*) from numbered) returning value into head;
  return head;
end
$$;

-- One for each declaration of a kind, so that servers of two versions can write at the same time.
create table side_table (
  signature text primary key,
  kind text not null,
  name text not null,
  -- filled, and has its indexes
  is_ready boolean not null,
  -- shows everything up to this revision, including what servers with other declarations wrote
  as_of bigint not null,
  used_at timestamptz not null default now()
);

-- Which engines have rows of a kind: as their record, or as what they see of a cloud.
create table kind_source (
  kind text not null,
  source text not null,
  view text not null check (view in ('record', 'feed')),
  primary key (kind, source)
);
-- When the read behind a row began: milliseconds since 1970 by the database's clock; kept for removed rows as well. Rows that are not
-- here are as new as the last full read of their kind.
create table sight (
  kind text collate "C" not null,
  id text collate "C" not null,
  seen_at double precision not null,
  source text collate "C",
  primary key (kind, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create table full_read (kind text primary key, seen_at double precision not null, begun_at double precision);
create table source_read (
  source text collate "C" not null,
  kind text collate "C" not null,
  -- the newest full read that has ended, and the newest that has begun: milliseconds since 1970 by the database's clock
  seen_at double precision not null,
  begun_at double precision,
  primary key (source, kind)
);
create table engine_state (
  name text primary key,
  -- the server that follows the engine, and when it last reported
  holder text not null,
  told_at timestamptz not null,
  read_at timestamptz,
  health jsonb not null
);

create table lease (
  name text primary key,
  owner text not null,
  until timestamptz not null,
  -- who holds it, for people; and where they are: the next process of that place need not wait for its end
  holder text,
  place text
);
create table server (
  -- one process; the owner of its jobs
  epoch uuid primary key,
  -- the same after a restart
  replica text not null,
  host text not null,
  version text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  -- names of the jobs that it has handlers for
  job_names text[] not null default '{}',
  -- side tables of the index that it reads and writes
  signatures text[] not null default '{}'
) with (fillfactor = 50);

-- Jobs that are not finished. What people see of one is a row of kind "task" in the index.
create table job (
  id text primary key,
  -- order among the jobs of one subject
  number bigint generated always as identity,
  name text not null,
  subject_key text collate "C" not null,
  subject jsonb not null,
  args jsonb not null,
  scope jsonb not null,
  attempt integer not null default 0,
  -- how often a server died while it ran the job
  takeovers integer not null default 0,
  cancel_requested boolean not null default false,
  -- set once the work itself has failed: only onFailure is still to run
  failure text,
  owner text,
  lease_until timestamptz,
  not_before timestamptz not null default now(),
  created_at timestamptz not null default now(),
  -- what the last run left for the next one
  state jsonb,
  -- error code of "failure", if it has one
  failure_code text,
  -- how often onFailure threw
  cleanups integer not null default 0,
  project_id text collate "C" not null generated always as (coalesce(scope ->> 'project_id', '')) stored,
  -- written down before the command that it follows was sent to a cloud
  prepared boolean not null default false
) with (fillfactor = 70);
create index job_subject on job (subject_key, number);
create index job_number on job (number);
create index job_due on job (project_id, not_before, number) where owner is null;
create index job_owned on job (owner) where owner is not null;

create table schedule (
  -- what is done; each server begins what it knows
  name text collate "C" not null,
  -- the plan among those of that name; '' for the one plan of what the server does automatically
  id text collate "C" not null,
  cron text not null,
  time_zone text not null,
  jitter_seconds integer not null check (jitter_seconds >= 0),
  missed text not null check (missed in ('once', 'skip')),
  -- of the job that a run is
  subject jsonb not null,
  args jsonb not null,
  scope jsonb not null,
  -- when the next run begins; null if there is none
  next_at timestamptz,
  -- when that was calculated
  reckoned_at timestamptz not null default now(),
  began_at timestamptz,
  primary key (name, id)
) with (fillfactor = 80);
create index schedule_next on schedule (name, next_at);
create index schedule_reckoned on schedule (reckoned_at);
`
