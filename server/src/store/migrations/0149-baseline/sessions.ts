/** Sessions with their tokens, failed sign-ins, second factors and passkeys. Secrets are hashed or sealed. */
export const sessions = `
create table session (
  id text primary key,
  user_id text not null,
  external_provider text,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  ended_at timestamptz,
  -- What a cloud knows the user by. It is sealed with a key of the session's own, and that key with each of the session's tokens and
  -- tickets, of which only hashes are kept: the database alone opens none of it (docs/decisions/0009-sealed-credentials.md).
  credential bytea,
  credential_expires_at timestamptz,
  -- the one project of a session that an application credential began, and the most that it may do there
  bound jsonb,
  -- of API tokens, which are sessions with a name and an expiry of their own
  name text,
  expires_at timestamptz,
  read_only boolean not null default false,
  -- where the browser goes to sign out at the identity provider; sealed with the key of the installation: it holds the ID token
  sign_out bytea
);
create index session_by_user on session (user_id) where ended_at is null;
create index session_created on session (created_at);
-- Every server hears at once of a session that has ended: its sockets and consoles end everywhere.
create function tell_session_ended() returns trigger language plpgsql as
  $$ begin perform pg_notify('session_ended', new.id::text); return null; end $$;
create trigger session_ended after update of ended_at on session
  for each row when (old.ended_at is null and new.ended_at is not null)
  execute function tell_session_ended();
create table token (
  hash bytea primary key,
  session_id text not null references session (id) on delete cascade,
  project_id text,
  created_at timestamptz not null,
  credential_key bytea
);
create index token_session on token (session_id);
create table console_ticket (
  hash bytea primary key,
  session_id text not null references session (id) on delete cascade,
  instance_id text not null,
  project_id text,
  expires_at timestamptz not null,
  credential_key bytea,
  protocol text not null default 'vnc',
  -- the port at which the console was asked for: system permissions may count at the admin port alone
  panel text not null default 'admin'
);
-- Tokens that a cloud has handed over, until the browser that brought them begins its session: sealed with a code that goes to the
-- browser, of which only a hash is kept.
create table hand_over (
  hash bytea primary key,
  browser bytea not null,
  token bytea not null,
  expires_at timestamptz not null
);
create index hand_over_expires on hand_over (expires_at);

create table sign_in_failure (
  key text primary key,
  failures integer not null,
  last_at timestamptz not null,
  -- whose failures they are
  owner text
);
create index sign_in_failure_last on sign_in_failure (last_at);
create index sign_in_failure_owner on sign_in_failure (owner);
-- Where users have signed in from, by hash.
create table sign_in_source (
  user_key text not null,
  source text not null,
  last_at timestamptz not null,
  primary key (user_key, source)
);
create index sign_in_source_last on sign_in_source (last_at);
-- Who was told of failed sign-ins.
create table sign_in_notice (
  user_id text primary key,
  told_at timestamptz not null default now()
);
-- Sign-ins that a password alone does not complete.
create table sign_in_step (
  hash bytea primary key,
  user_id text not null references identity_user (id) on delete cascade,
  step text not null,
  expires_at timestamptz not null
);

create table second_factor (
  user_id text primary key references identity_user (id) on delete cascade,
  -- the secret
  sealed bytea not null,
  -- null until a first code was right
  confirmed_at timestamptz,
  -- the step of time of the last code
  last_step bigint not null default 0,
  -- hashes
  recovery_codes bytea[] not null default '{}'
);
create table passkey (
  id text primary key,
  user_id text not null references identity_user (id) on delete cascade,
  credential_id bytea not null unique,
  -- COSE
  public_key bytea not null,
  counter bigint not null,
  host text not null,
  name text not null,
  transports text[] not null,
  is_synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkey_user on passkey (user_id);
-- Challenges that browsers are to answer: each once and soon.
create table passkey_challenge (
  hash bytea primary key,
  -- who adds a passkey; null: a sign-in
  user_id text references identity_user (id) on delete cascade,
  host text not null,
  origin text not null,
  expires_at timestamptz not null,
  -- from which the challenge of a sign-in was requested, so that all servers together limit them
  network text
);
create index passkey_challenge_end on passkey_challenge (expires_at);
create index passkey_challenge_network on passkey_challenge (network) where network is not null;
-- Ends sessions and tokens of users and removes their passkeys, in the transaction of an engine that gives them their first system
-- permission.
create function close_ways_in(users text[]) returns void language plpgsql as $$ begin
  update session set ended_at = now() where user_id = any(users) and ended_at is null;
  delete from passkey where user_id = any(users);
  delete from passkey_challenge where user_id = any(users);
end $$;
`
