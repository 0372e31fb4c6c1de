/** Settings, problem reports, bulk runs, project removals, saved views, alerts and deletion locks. */
export const operation = `
create table setting (
  name text collate "C" primary key,
  value jsonb not null,
  -- secrets, sealed with the key of the installation; null: none
  sealed bytea,
  updated_at timestamptz not null default now()
);
create function tell_setting_changed() returns trigger language plpgsql as $$ begin
  perform pg_notify('setting_changed', new.name);
  return null;
end $$;
create trigger setting_changed after insert or update on setting
  for each row execute function tell_setting_changed();

create table problem_report (
  id text collate "C" primary key,
  task_id text not null,
  created_at timestamptz not null default now(),
  user_id text not null,
  username text not null,
  domain_id text not null,
  -- made by an operator: reports of tenants do not replace it
  of_operator boolean not null,
  contact_email text not null,
  problem_description text not null,
  -- tar.gz; null while it is being made
  archive bytea,
  sent_at timestamptz,
  send_error text
);
-- The archive is compressed already.
alter table problem_report alter column archive set storage external;

-- One call made of many objects, and the outcome for each.
create table bulk_run (
  id text collate "C" primary key,
  task_id text not null,
  kind text not null,
  action text not null,
  body jsonb,
  query jsonb,
  -- in whose name the calls are made
  session_id text not null,
  user_id text not null,
  project_id text,
  credential_key bytea,
  address text not null,
  created_at timestamptz not null default now(),
  -- the port at which it was begun: system permissions may count at the admin port alone
  panel text not null default 'admin'
);
create index bulk_run_by_age on bulk_run (created_at);
create table bulk_object (
  run_id text collate "C" not null references bulk_run on delete cascade,
  number integer not null,
  id text not null,
  name text not null,
  domain_id text,
  -- of its call, by which the audit log knows it
  request_id uuid not null default gen_random_uuid(),
  state text not null default 'waiting',
  task_ids text[] not null default '{}',
  err_code text,
  error text,
  primary key (run_id, number)
);
create index bulk_object_open on bulk_object (run_id, state, number)
  where state in ('waiting', 'calling', 'running');

-- In whose name projects are deleted with everything in them.
create table project_removal (
  task_id text collate "C" primary key,
  session_id text not null,
  user_id text not null,
  -- of the caller's scope
  project_id text,
  credential_key bytea,
  address text not null,
  panel text not null default 'admin'
);

-- Views of lists that users keep.
create table saved_view (
  id text collate "C" primary key,
  user_id text not null,
  -- '' outside of any project
  project_id text not null,
  kind text not null,
  name text not null,
  query jsonb not null,
  created_at timestamptz not null default now(),
  unique (user_id, project_id, kind, name)
);

-- When alert rules were evaluated, and objects that are near an alert or have one.
create table alert_evaluation (rule text collate "C" primary key, at timestamptz not null);
create table alert_watch (
  rule text collate "C" not null,
  -- id of the object, and which part of it
  key text collate "C" not null,
  since timestamptz not null,
  seen_at timestamptz not null,
  calm_since timestamptz,
  -- null while none is raised
  alert_id text,
  primary key (rule, key)
);
-- Ids of alerts are whole numbers, as command-line clients take them.
create sequence alert_number;

-- Locks against deletion, of rows of any engine. A lock stays when its row leaves the index: an object that a cloud does not report for a
-- while comes back locked.
create table deletion_lock (
  kind text collate "C" not null,
  id text collate "C" not null,
  -- name of the user
  by text not null,
  at timestamptz not null default now(),
  reason text,
  primary key (kind, id)
);
`
