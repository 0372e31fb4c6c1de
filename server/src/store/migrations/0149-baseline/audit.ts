/** Search text of an audit entry, in the form used by the index. */
export const AUDIT_TEXT =
  "(lower(coalesce(user_name, '') || ' ' || action || ' ' || coalesce(subject_name, '') || ' ' || " +
  "coalesce(subject_id, '') || ' ' || address || ' ' || request_id || ' ' || coalesce(message, '')))"

/**
 * The audit log: who did what, when, from where and with what result. A separate hash chain seals each line that can no
 * longer change, in sealing order.
 */
export const audit = `
create table audit (
  id bigint generated always as identity primary key,
  action text not null,
  subject_kind text,
  subject_id text,
  subject_name text,
  user_id text,
  user_name text,
  domain_id text,
  project_id text,
  scope_kind text,
  request_id text not null,
  address text not null,
  method text not null,
  path text not null,
  status integer not null,
  result text not null,
  error_code text,
  message text,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  -- the fields that were set
  changes jsonb,
  session_id text
);
create index audit_subject on audit (subject_kind, subject_id, id desc);
create index audit_by_time on audit (started_at, id);
create index audit_by_user on audit (coalesce(user_name, ''), id);
create index audit_by_action on audit (action collate "C", id);
create index audit_of_type on audit (split_part(action, '.', 1), started_at, id);
create index audit_of_user on audit (user_id, started_at, id);
create index audit_of_domain on audit (domain_id, started_at, id) where scope_kind <> 'system';
create index audit_of_project on audit (project_id, started_at, id);
create index audit_of_address on audit (address, started_at, id);
create index audit_of_object on audit (subject_id, started_at, id);
create index audit_of_request on audit (request_id);
create index audit_not_done on audit (started_at, id) where result <> 'success';
create index audit_text on audit using gin (${AUDIT_TEXT} gin_trgm_ops) with (gin_pending_list_limit = 1024);

-- A line is written with the act, before its end is known. Only its outcome may be completed, from unknown to known and from done to
-- failed, and its object if that was not known yet.
create function audit_is_append_only() returns trigger language plpgsql as $$
declare
  outcome constant text[] :=
    '{subject_id,subject_name,status,result,error_code,message,finished_at}';
begin
  if old.result = 'error' or new.result not in ('success', 'error')
    or to_jsonb(new) - outcome <> to_jsonb(old) - outcome
    or (old.result = 'success' and (old.subject_id <> new.subject_id or old.subject_name <> new.subject_name))
    or (old.subject_id is not null and new.subject_id is null)
    or (old.subject_name is not null and new.subject_name is null)
  then
    raise exception 'audit rows are never changed';
  end if;
  return new;
end $$;
create trigger audit_unchanged before update on audit
  for each row execute function audit_is_append_only();

create table audit_seal (
  seq bigint primary key,
  line_id bigint not null unique,
  hash text not null,
  sealed_at timestamptz not null default clock_timestamp()
);
-- What the first seal follows: nothing, or the last seal that retention has removed.
create table audit_anchor (
  is_only boolean primary key default true check (is_only),
  seq bigint not null,
  hash text not null,
  removed_lines bigint not null default 0,
  removed_at timestamptz
);
insert into audit_anchor (seq, hash) values (0, repeat('0', 64));
-- Lines are forwarded by syslog in the order of their seals.
create table audit_forwarding (
  is_only boolean primary key default true check (is_only),
  seq bigint not null default 0,
  lost_lines bigint not null default 0
);
insert into audit_forwarding default values;
-- Lines that wait for their seal, noted by a trigger.
create table audit_unsealed (line_id bigint primary key);
create function audit_wants_seal() returns trigger language plpgsql as
  $$ begin insert into audit_unsealed values (new.id); return null; end $$;
create trigger audit_wants_seal after insert on audit
  for each row execute function audit_wants_seal();
create function audit_sealed_stays() returns trigger language plpgsql as $$
begin
  if exists (select from audit_seal where line_id = old.id)
    and not (tg_op = 'DELETE' and coalesce(current_setting('mainstay.audit_retention', true), '') = 'on')
  then
    raise exception 'sealed audit rows are never changed, and removed by retention alone';
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create trigger audit_sealed_stays before update or delete on audit
  for each row execute function audit_sealed_stays();
`
