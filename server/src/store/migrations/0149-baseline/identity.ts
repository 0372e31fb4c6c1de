/**
 * Domains, projects, users, groups and identity providers, and the notifications that tell every server about revoked
 * rights.
 */
export const identity = `
create table identity_domain (
  id text primary key,
  name text not null unique,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  description text not null default ''
);
create table identity_project (
  id text primary key,
  domain_id text not null references identity_domain (id),
  name text not null,
  description text not null default '',
  enabled boolean not null default true,
  -- 'system': where a system scope creates things
  reserved_for text unique,
  created_at timestamptz not null default now(),
  tags text[] not null default '{}',
  unique (domain_id, name)
);
create table identity_user (
  id text primary key,
  domain_id text not null references identity_domain (id),
  name text not null,
  email text,
  enabled boolean not null default true,
  is_superuser boolean not null default false,
  roles text[] not null default '{}',
  password text not null,
  identity_provider text,
  created_at timestamptz not null default now(),
  description text not null default '',
  -- the directory's own id, which stays when a user is renamed; null for users from elsewhere
  ldap_id text,
  -- the name without regard to case, which directories ignore
  ldap_name text,
  -- disabled by an import, and enabled again by the import that finds the user again; null: not by an import
  ldap_gone_at timestamptz,
  must_change_password boolean not null default false,
  -- the user's id at the identity provider
  subject text,
  -- the claims of the last sign-in
  given jsonb,
  unique (domain_id, name)
);
create unique index identity_user_ldap_id on identity_user (domain_id, ldap_id);
create unique index identity_user_ldap_name on identity_user (domain_id, ldap_name);
create unique index identity_user_subject on identity_user (identity_provider, subject);
-- Without regard to case and form: users of identity providers are looked up by it at each sign-in.
create index identity_user_folded_name on identity_user (domain_id, lower(normalize(name, NFKC)));
create table identity_assignment (
  user_id text not null references identity_user (id) on delete cascade,
  project_id text not null references identity_project (id) on delete cascade,
  role text not null,
  primary key (user_id, project_id, role)
);
create index identity_assignment_project on identity_assignment (project_id);

create table identity_group (
  id text primary key,
  domain_id text not null references identity_domain (id) on delete cascade,
  name text not null,
  -- the name without regard to case, which is unique in a domain
  folded_name text not null,
  description text not null default '',
  roles text[] not null default '{}',
  created_at timestamptz not null default now(),
  -- null: made here
  identity_provider text,
  ldap_id text,
  unique (domain_id, folded_name)
);
create unique index identity_group_ldap_id on identity_group (domain_id, ldap_id);
create table identity_group_member (
  group_id text not null references identity_group (id) on delete cascade,
  user_id text not null references identity_user (id) on delete cascade,
  primary key (group_id, user_id)
);
create index identity_group_member_user on identity_group_member (user_id);
create table identity_group_assignment (
  group_id text not null references identity_group (id) on delete cascade,
  project_id text not null references identity_project (id) on delete cascade,
  role text not null,
  primary key (group_id, project_id)
);
create index identity_group_assignment_project on identity_group_assignment (project_id);

-- Links with which users choose a password, by hash: one per user.
create table identity_password_link (
  user_id text primary key references identity_user (id) on delete cascade,
  hash bytea not null unique,
  expires_at timestamptz not null
);
-- Links that were mailed to users who forgot their password.
create table identity_reset_link (
  user_id text primary key references identity_user (id) on delete cascade,
  hash bytea not null unique,
  made_at timestamptz not null,
  expires_at timestamptz not null
);

create table identity_provider (
  id text primary key,
  domain_id text not null references identity_domain (id) on delete cascade,
  name text not null,
  -- the name without regard to case, which is unique in a domain
  folded_name text not null,
  enabled boolean not null,
  settings jsonb not null,
  -- the secret, sealed with the key of the installation; null: none
  sealed bytea,
  created_at timestamptz not null default now(),
  -- whether a system administrator was the last one to change it: only then does it give groups with system permissions
  is_confirmed boolean not null default false,
  unique (domain_id, folded_name)
);
-- How users of a domain sign in. A domain without a row asks for nothing more.
create table sign_in_rule (
  domain_id text primary key references identity_domain (id) on delete cascade,
  second_factor text not null
);

-- Properties that programs keep of domains, whichever engine has the domains.
create table domain_property (
  domain_id text not null,
  key text not null,
  access text not null,
  -- JSON with its members in the order in which they were sent
  data text not null,
  primary key (domain_id, key)
);
create function forget_domain_properties() returns trigger language plpgsql as
  $$ begin delete from domain_property where domain_id = old.id; return null; end $$;
create trigger properties_forgotten after delete on identity_domain
  for each row execute function forget_domain_properties();

-- Sockets and consoles of disabled users end on every server.
create function tell_user_disabled() returns trigger language plpgsql as $$ begin
  perform pg_notify('session_ended', id::text) from session where user_id = new.id and ended_at is null;
  return null;
end $$;
create trigger user_disabled after update of enabled on identity_user
  for each row when (old.enabled and not new.enabled) execute function tell_user_disabled();
create function tell_domain_disabled() returns trigger language plpgsql as $$ begin
  perform pg_notify('session_ended', s.id::text) from session s join identity_user u on u.id = s.user_id
    where u.domain_id = new.id and s.ended_at is null;
  return null;
end $$;
create trigger domain_disabled after update of enabled on identity_domain
  for each row when (old.enabled and not new.enabled) execute function tell_domain_disabled();
create function tell_provider_disabled() returns trigger language plpgsql as $$ begin
  perform pg_notify('session_ended', s.id::text) from session s join identity_user u on u.id = s.user_id
    where u.identity_provider = new.id and s.ended_at is null;
  return null;
end $$;
create trigger provider_disabled after update of enabled on identity_provider
  for each row when (old.enabled and not new.enabled) execute function tell_provider_disabled();

-- When the rights of a user change, every server checks the user's sockets again at once.
create function tell_rights_changed() returns trigger language plpgsql as $$ begin
  perform pg_notify('rights_changed', tg_argv[0] || ':' || (case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> tg_argv[1]));
  return null;
end $$;
create trigger rights_changed after update of roles, is_superuser on identity_user
  for each row when (old.roles <> new.roles or old.is_superuser <> new.is_superuser)
  execute function tell_rights_changed('user', 'id');
create trigger user_deleted after delete on identity_user
  for each row execute function tell_rights_changed('user', 'id');
create trigger rights_changed after insert or update or delete on identity_assignment
  for each row execute function tell_rights_changed('user', 'user_id');
create trigger project_disabled after update of enabled on identity_project
  for each row when (old.enabled and not new.enabled) execute function tell_rights_changed('project', 'id');
create trigger project_deleted after delete on identity_project
  for each row execute function tell_rights_changed('project', 'id');
create trigger rights_changed after insert or delete on identity_group_member
  for each row execute function tell_rights_changed('user', 'user_id');
create function tell_group_rights_changed() returns trigger language plpgsql as $$ begin
  perform pg_notify('rights_changed', 'user:' || user_id) from identity_group_member
    where group_id = (case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> tg_argv[0]);
  return null;
end $$;
create trigger rights_changed after update of roles on identity_group
  for each row when (old.roles <> new.roles) execute function tell_group_rights_changed('id');
create trigger rights_changed after insert or update or delete on identity_group_assignment
  for each row execute function tell_group_rights_changed('group_id');
`
