import type { Exchange, Shape } from './client'
import { compute, limit, problem, quotas, v2, type Command } from './shapes'

const domain: Shape = { id: 's', name: 's', enabled: 'b', description: 's' }
const project: Shape = { id: 's', name: 's', enabled: 'b', description: 's', domain_id: 's' }
const assigned: Shape = [{ project_id: 's', role: 's' }]
const group: Shape = {
  ...{ id: 's', name: 's', description: 's', role: 's', domain_permissions: ['s'], system_permissions: ['s'] },
  assigned_projects: assigned,
}
const user: Shape = {
  ...{ id: 's', name: 's', email: 's?', enabled: 'b', description: 's', role: 's' },
  ...{ domain_permissions: ['s'], system_permissions: ['s'], assigned_projects: assigned },
}
const account: Shape = {
  ...{ id: 's', name: 's', is_enabled: 'b', is_superuser: 'b', description: 's' },
  roles: [{ id: 's', name: 's' }],
}
const provider: Shape = { id: 's', name: 's', issuer: 's', scope: 's', domain_id: 's' }
const theDomain = `${v2}/domains/{domain}`
const inParams = (value: unknown) => `params=${encodeURIComponent(JSON.stringify(value))}`
/** The lookup of an ID by name that precedes every command on a named object. */
const named = (path: string, name: string, keep: string): Exchange => ({
  ...{ send: `GET ${path}`, status: 200, find: { name, keep } },
})
const gone = (path: string): Exchange => ({ send: `GET ${path}`, status: 404, shape: problem })
/** Requests a list with each of its options: ID, name, part of the name, tags (which no object has) and limit. */
const filteredAs = (of: string, name: string, shape: Shape): Exchange[] => {
  const path = `${theDomain}/${of}/`
  const kept = name.toLowerCase()
  const one = {
    ...{ status: 200, shape: { data: [shape] } as Shape },
    equals: { 'data.length': 1, 'data.0.name': name },
  }
  return [
    { send: `GET ${path}?id=in:{${kept}}&name=${name}&limit=5`, ...one },
    { send: `GET ${path}?name=contains:${name.slice(1)}&sort=name:asc&limit=5`, ...one },
    { send: `GET ${path}?name=${name}&tags=any:x`, status: 200, shape: { data: ['o'] }, equals: { 'data.length': 0 } },
    { send: `GET ${path}?name=${name}&tags=None`, ...one },
  ]
}
const listed = (path: string, shape: Shape): Exchange => ({ send: `GET ${path}`, status: 200, shape, pages: true })

/** Domains, projects, users, groups, domain quotas, and the installation's accounts. */
export const identityCommands: readonly Command[] = [
  {
    command: 'domain create, list, show, set',
    as: 'operator',
    exchanges: [
      {
        ...{ send: `POST ${v2}/domains`, body: { name: 'Harbour', description: 'of ships', enabled: true } },
        ...{ status: 201, shape: domain, keep: { domain: 'id' } },
      },
      listed(`${v2}/domains`, domain),
      named(`${v2}/domains`, 'Harbour', 'domain'),
      named(`${v2}/domains`, 'Default', 'default_domain'),
      named(`${v2}/domains`, '{domain}', 'domain'),
      // the only ID that is not a UUID
      { send: `GET ${v2}/domains/default`, status: 200, shape: domain, equals: { name: 'Default' } },
      {
        ...{ send: `PUT ${theDomain}`, body: { description: 'of boats', enabled: true, name: 'Haven' }, status: 200 },
        ...{ shape: domain, equals: { name: 'Haven', description: 'of boats' } },
      },
    ],
  },
  {
    command: 'domain project create, list, show, set',
    as: 'operator',
    exchanges: [
      {
        send: `POST ${theDomain}/projects`,
        body: { name: 'Quay', description: 'first', enabled: true, parent_id: '{domain}' },
        ...{ status: 201, shape: project, keep: { quay: 'id' }, equals: { domain_id: '{domain}' } },
      },
      { send: `POST ${theDomain}/projects`, body: { name: 'Pier' }, status: 201, shape: project, keep: { pier: 'id' } },
      {
        ...{ send: `POST ${theDomain}/projects`, body: { name: 'Jetty', parent_id: '{quay}' } },
        ...{ status: 400, shape: problem },
      },
      listed(`${theDomain}/projects`, project),
      {
        send: `GET ${theDomain}/projects/?id=in:{quay}&name=Quay&tags=any:x&limit=5`,
        status: 200,
        shape: { data: ['o'] },
      },
      // in the requested order, one row per page
      listed(`${theDomain}/projects/?sort=name:asc&limit=1`, project),
      {
        ...{ send: `GET ${theDomain}/projects/?sort=name:desc&name=contains:ie&limit=5`, status: 200 },
        ...{ shape: { data: [project] }, equals: { 'data.0.name': 'Pier', 'data.length': 1 } },
      },
      named(`${theDomain}/projects`, 'Quay', 'quay'),
      named(`${theDomain}/projects`, '{quay}', 'quay'),
      {
        ...{
          send: `PATCH ${theDomain}/projects/{quay}`,
          body: { description: 'old', enabled: false, name: 'Old quay' },
        },
        ...{ status: 200, shape: project, equals: { enabled: false, name: 'Old quay' } },
      },
    ],
  },
  {
    command: 'domain user list-available-roles, create, list, show, set',
    as: 'operator',
    exchanges: [
      {
        ...{ send: `GET ${v2}/accounts/access-roles`, status: 200 },
        shape: [{ id: 's', name: 's', description: 's', scope: ['s'], tags: ['s'] }],
        // the first role is a system role with this tag
        equals: { '0.tags': ['hci.system'], '0.scope': ['system'] },
      },
      {
        send: `POST ${theDomain}/users`,
        body: {
          ...{ name: 'skipper', password: 'correct horse 12', email: 'skipper@example.com', description: 'of a boat' },
          ...{ domain_permissions: ['image_upload'], system_permissions: [], enabled: true },
          assigned_projects: [{ project_id: '{pier}', role: 'project_admin' }],
        },
        ...{ status: 201, shape: user, keep: { skipper: 'id' } },
      },
      listed(`${theDomain}/users`, user),
      ...filteredAs('users', 'skipper', user),
      named(`${theDomain}/users`, 'skipper', 'skipper'),
      named(`${theDomain}/users`, '{skipper}', 'skipper'),
      {
        ...{ send: `PATCH ${theDomain}/users/{skipper}`, status: 200, shape: user },
        body: {
          ...{ name: 'captain', email: 'captain@example.com', description: 'of a ship', enabled: true },
          ...{ domain_permissions: ['quota_manager'], assigned_projects: [{ project_id: '{pier}', role: null }] },
          assigned_domains: [{ domain_id: '{domain}', roles: [] }],
        },
        equals: { name: 'captain', domain_permissions: ['quota_manager'], assigned_projects: [] },
      },
      { send: `PATCH ${theDomain}/users/{skipper}/unlock`, status: 204 },
      {
        ...{ send: `PATCH ${theDomain}/users/{skipper}`, status: 200, shape: user },
        body: { assigned_projects: [{ project_id: '{pier}', role: 'project_member' }] },
        equals: { assigned_projects: [{ project_id: '{pier}', role: 'project_member' }] },
      },
    ],
  },
  {
    command: 'domain group create, list, show, set, user add, list, remove; domain user group list',
    as: 'operator',
    exchanges: [
      {
        send: `POST ${theDomain}/groups`,
        body: {
          ...{ name: 'Crew', assigned_projects: [], description: 'all hands' },
          ...{ domain_permissions: ['image_upload'], system_permissions: [] },
        },
        ...{ status: 201, shape: group, keep: { crew: 'id' } },
      },
      listed(`${theDomain}/groups`, group),
      ...filteredAs('groups', 'Crew', group),
      named(`${theDomain}/groups`, 'Crew', 'crew'),
      named(`${theDomain}/groups`, '{crew}', 'crew'),
      {
        ...{ send: `PATCH ${theDomain}/groups/{crew}`, status: 200, shape: group },
        body: { name: 'Sailors', assigned_projects: [{ project_id: '{quay}', role: 'project_member' }] },
        equals: { name: 'Sailors', assigned_projects: [{ project_id: '{quay}', role: 'project_member' }] },
      },
      {
        ...{ send: `PATCH ${theDomain}/groups/{crew}`, status: 200, shape: group },
        body: {
          ...{ assigned_projects: [{ project_id: '{quay}', role: null }], domain_permissions: [] },
          assigned_domains: [{ domain_id: '{domain}', roles: [] }],
        },
        equals: { assigned_projects: [], domain_permissions: [] },
      },
      { send: `POST ${theDomain}/groups/{crew}/users`, body: { uuids: ['{skipper}'] }, status: 200, shape: group },
      listed(`${theDomain}/groups/{crew}/users`, user),
      listed(`${theDomain}/users/{skipper}/groups`, group),
      { send: `GET ${theDomain}/users/{skipper}/groups/`, status: 200, shape: { data: [group] } },
      { send: `DELETE ${theDomain}/groups/{crew}/users`, body: { uuids: ['{skipper}'] }, status: 204 },
    ],
  },
  {
    command: 'domain idp create, list, show, set, delete',
    as: 'operator',
    exchanges: [
      {
        send: `POST ${theDomain}/idp`,
        body: {
          ...{
            name: 'Company',
            issuer: 'https://sso.example.com',
            scope: 'openid email profile',
            client_id: 'harbour',
          },
          ...{ client_secret: 'a secret of both', response_type: 'code', enabled: true, verify_ssl: true },
          ...{ metadata_url: 'https://sso.example.com/.well-known/openid-configuration', request_timeout: 5 },
        },
        ...{ status: 201, shape: provider, keep: { idp: 'id' }, equals: { domain_id: '{domain}' } },
      },
      listed(`${theDomain}/idp`, provider),
      named(`${theDomain}/idp`, 'Company', 'idp'),
      named(`${theDomain}/idp`, '{idp}', 'idp'),
      {
        ...{ send: `PATCH ${theDomain}/idp/{idp}`, status: 200, shape: provider },
        body: { scope: 'openid email', enabled: false, verify_ssl: true, request_timeout: 7, name: 'The company' },
        equals: { name: 'The company', scope: 'openid email', enabled: false, request_timeout: 7 },
      },
      {
        ...{ send: `PATCH ${theDomain}/idp/{idp}`, status: 200, shape: provider },
        body: {
          ...{ issuer: 'https://login.example.com', client_id: 'haven', client_secret: 'another secret of both' },
          ...{ metadata_url: 'https://login.example.com/.well-known/openid-configuration', response_type: 'code' },
        },
        equals: { issuer: 'https://login.example.com', client_id: 'haven' },
      },
      { send: `DELETE ${theDomain}/idp/{idp}`, status: 204 },
      gone(`${theDomain}/idp/{idp}`),
    ],
  },
  {
    command: 'domain properties create, set, show, keys list, access list, set, delete',
    as: 'operator',
    exchanges: [
      {
        send: `POST ${v2}/domains/Haven/props/look`,
        body: { access: 'auth', data: { a: 1 } },
        status: 201,
        shape: 'o',
      },
      { send: `PUT ${v2}/domains/Haven/props/look`, body: { a: 2 }, status: 200, shape: 'o' },
      { send: `PUT ${v2}/domains/Haven/props/look/access/`, body: { access: 'pub' }, status: 200, shape: 'o' },
      { send: `GET ${v2}/domains/Haven/props/look`, status: 200, shape: { a: 'n' }, equals: { a: 2 } },
      {
        ...{ send: `GET ${v2}/domains/Haven/props`, status: 200, shape: [{ key: 's', access: 's' }] },
        equals: { '0.access': 'pub' },
      },
      { send: `GET ${v2}/domains/props`, status: 200, shape: [{ domain: 's', keys: ['s'] }] },
      { send: `DELETE ${v2}/domains/Haven/props/look`, status: 204 },
    ],
  },
  {
    command: 'quotas set, show --usage for a domain, and for a project as an operator',
    as: 'operator',
    exchanges: [
      { send: `GET ${theDomain}`, status: 200, shape: domain },
      {
        ...{ send: `POST ${compute}/domain-quotas/{domain}`, status: 200 },
        body: { compute: { cores: { limit: 40 }, ram: { limit: 64 * 1024 ** 3 } } },
        shape: { compute: { cores: limit, ram: limit } },
      },
      {
        ...{ send: `GET ${compute}/domain-quotas/{domain}?${inParams({ usage: true })}`, status: 200 },
        ...{ shape: { compute: { cores: limit, ram: limit } }, equals: { 'compute.cores.limit': 40 } },
      },
      gone(`${v2}/domains/{pier}`),
      {
        ...{ send: `POST ${compute}/quotas/{pier}`, status: 200, shape: quotas },
        body: {
          compute: { cores: { limit: 8 }, ram: { limit: 16 * 1024 ** 3 } },
          storage: { storage_policies: { default: { limit: 1024 ** 4 } } },
        },
      },
      ...[inParams({ usage: true }), 'usage=True'].map((query): Exchange => ({
        ...{ send: `GET ${compute}/quotas/{pier}?${query}`, status: 200, shape: quotas },
        equals: {
          ...{ 'compute.cores': { limit: 8, used: 0 }, 'compute.ram.limit': 16 * 1024 ** 3 },
          'storage.storage_policies.default.limit': 1024 ** 4,
        },
      })),
      // no limits can be set for resources without an engine
      {
        ...{ send: `POST ${compute}/quotas/{pier}`, status: 400, shape: problem },
        body: { k8saas: { cluster: { limit: 3 } } },
      },
      {
        ...{ send: `POST ${compute}/quotas/{pier}`, status: 400, shape: problem },
        body: { placement: { gold: { limit: 3 } } },
      },
      {
        ...{ send: `POST ${compute}/domain-quotas/{domain}`, status: 400, shape: problem },
        body: { storage: { volumes_backups: { limit: 3 } } },
      },
    ],
  },
  {
    command: 'cluster user create, list, show, set, delete',
    as: 'operator',
    exchanges: [
      {
        send: `POST ${v2}/accounts`,
        body: [
          {
            ...{ name: 'on_call', password: 'correct horse 12', roles: ['viewer'], is_enabled: true },
            ...{ is_group: false, description: 'at night' },
          },
        ],
        ...{ status: 201, shape: [account], keep: { account: '0.id' } },
      },
      listed(`${v2}/accounts`, account),
      named(`${v2}/accounts`, 'on_call', 'account'),
      named(`${v2}/accounts`, '{account}', 'account'),
      {
        ...{ send: `PUT ${v2}/accounts/{account}`, status: 200, shape: account },
        body: { description: 'by day', is_enabled: false, roles: ['compute'], name: 'by_day' },
        equals: { name: 'by_day', is_enabled: false, 'roles.0.id': 'compute' },
      },
      {
        ...{ send: `PUT ${v2}/accounts/{account}`, status: 200, shape: account },
        body: { password: 'another horse 12', roles: ['compute', 'viewer'] },
        equals: { 'roles.length': 2 },
      },
      // a user in another domain who has access only to a project does not count as an account of the installation
      gone(`${v2}/accounts/{skipper}`),
      { send: `DELETE ${v2}/accounts/{account}`, status: 204 },
      gone(`${v2}/accounts/{account}`),
    ],
  },
  {
    command: 'accounts of the installation, requested by a member',
    as: 'member',
    exchanges: [
      { send: `GET ${v2}/accounts`, status: 403, shape: problem },
      {
        send: `POST ${v2}/accounts`,
        body: [{ name: 'nobody', password: 'correct horse 12' }],
        status: 403,
        shape: problem,
      },
    ],
  },
  {
    command: 'domain project user list, remove; group, user, project and domain delete',
    as: 'operator',
    exchanges: [
      listed(`${theDomain}/projects/{pier}/users`, user),
      { send: `DELETE ${theDomain}/projects/{pier}/users`, body: { uuids: ['{skipper}'] }, status: 204 },
      { send: `DELETE ${theDomain}/groups/{crew}`, status: 204 },
      { send: `DELETE ${theDomain}/users/{skipper}`, status: 204 },
      gone(`${theDomain}/users/{skipper}`),
      {
        ...{ send: `POST ${theDomain}/users`, body: { name: 'stoker', password: 'correct horse 12' } },
        ...{ status: 201, shape: user, keep: { stoker: 'id' } },
      },
      { send: `DELETE ${theDomain}/users`, body: { uuids: ['{stoker}'] }, status: 204 },
      gone(`${theDomain}/users/{stoker}`),
      { send: `DELETE ${theDomain}/projects`, body: { uuids: ['{quay}', '{pier}'] }, status: 204 },
      { send: `DELETE ${theDomain}`, status: 204 },
      gone(theDomain),
    ],
  },
]
