import { readFileSync } from 'node:fs'
import { grantsAllow, grantsOf } from '@mainstay/contract/permissions'
import { routes } from '../../console/src/routes'

/** How a page is swept. */
export interface SweptPage {
  /** The address, with `:kind` for the id of the demo world's first row of that kind. */
  at: string
  /** What people come to do, as its link, button or field is called: Tab must lead to it. Null: there is none. */
  action: string | RegExp | null
  /** Of the administration panel: what operators alone may do. */
  isForOperators?: boolean
  /** Of who administers a domain, outside of any project. */
  isForDomain?: boolean
  /** Nobody is signed in. */
  isForStrangers?: boolean
  /** It leaves as soon as the server answers, so that must not. */
  waitsForServer?: boolean
  /** The screen of a machine is on it, which comes over a socket and takes the size of its place. */
  hasScreen?: boolean
  /** Nothing is on it, by design. */
  isBlank?: boolean
}

type PageRoute = (typeof routes)[number]

/** The list over which a page is drawn, or the page itself. */
function listOf(page: PageRoute): PageRoute {
  const base = routes.find(({ path }) => path === page.over)
  return base ? listOf(base) : page
}

/** All that is ever done in a project. */
const inProjects = grantsOf(['domain_admin', 'image_upload'], 'project')
const isDoneInProjects = ({ needs }: PageRoute): boolean =>
  typeof needs !== 'object' || grantsAllow(inProjects, needs.resource, needs.ability)
const english = ({ texts, title }: PageRoute): string =>
  (JSON.parse(readFileSync(`console/locales/en/${texts}.json`, 'utf8')) as Record<string, string>)[title]!

/** A page of an ordinary resource: its list leads to its form, which begins with a name, and its details can be closed. */
function ordinary(page: PageRoute): SweptPage {
  const list = listOf(page)
  const family = routes.filter((it) => listOf(it) === list)
  const add = family.find(({ path }) => path === `${list.path}/add`)
  const isForm = /\/(add|edit)$/.test(page.path)
  return {
    at: `/${page.path.replace('$id', `:${family.find(({ shows }) => shows)?.shows}`)}`,
    action: page.shows ? 'Close' : isForm || !add ? 'Name' : english(add),
    isForOperators: ![list, add ?? list].every(isDoneInProjects),
  }
}

const instance = '/compute/instances/:server'

/** What is not ordinary of a page. */
const special: Readonly<Record<string, Partial<SweptPage>>> = {
  'login/{-$domainName}': { at: '/login', action: 'Sign in', isForStrangers: true },
  'login/$domainName/$idp': { at: '/login/default/company', action: 'Sign in', isForStrangers: true },
  // both lead on: nobody has begun to sign in elsewhere
  'auth/success': { at: '/auth/success', action: 'Sign in', isForStrangers: true },
  'auth/failed': { at: '/auth/failed?reason=refused', action: 'Sign in', isForStrangers: true },
  account: { action: 'Make token' },
  // nobody has been given this one
  'password-link': { at: `/password-link#${'A'.repeat(43)}`, action: 'Sign in', isForStrangers: true },
  'no-service': { at: '/no-service', action: /./ },
  void: { at: '/void', action: /./, isBlank: true },
  error: { at: '/error', action: /./ },
  error403: { at: '/error403', action: /./ },
  error404: { at: '/error404', action: /./ },
  error500: { at: '/error500', action: /./ },
  error503: { at: '/error503', action: /./ },
  'service-unavailable': { at: '/service-unavailable', action: null, waitsForServer: true },
  'access-disabled': { at: '/access-disabled', action: 'Create virtual machine' },
  'error-service-disabled': { at: '/error-service-disabled', action: /./ },
  'compute/instances': { at: '/compute/instances', action: 'Create virtual machine' },
  'compute/instances/add/{-$step}': { at: '/compute/instances/add', action: 'Name' },
  'compute/instances/$id': { at: instance, action: 'Actions' },
  'compute/instances/$id/$tab': { at: `${instance}/volumes`, action: /Attach volume/ },
  'compute/instances/$id/edit/$subject': { at: `${instance}/edit/name`, action: 'Name' },
  'compute/servers/instances/$id/console': {
    at: '/compute/servers/instances/:server/console',
    hasScreen: true,
    // the guest has the keyboard, Tab included, until Ctrl+Alt+Home
    action: null,
  },
  'compute/images/$id/create-volume/{-$returnRoute}': {
    at: '/compute/images/:image/create-volume',
    action: 'Name',
  },
  'compute/volumes/$id/{-$detailsTab}': { at: '/compute/volumes/:volume', action: 'Close' },
  'compute/placements/$id': { action: /Nodes of/ },
  'compute/placements/$id/assign/$carrier': { at: '/compute/placements/:placement/assign/flavors', action: /s1/ },
  domains: { at: '/domains', action: 'Add domain', isForOperators: true },
  'domains/add': { at: '/domains/add', action: 'Name', isForOperators: true },
  'domains/$id': { at: '/domains/default', action: 'Close', isForOperators: true },
  'domains/$id/edit': { at: '/domains/default/edit', action: 'Name', isForOperators: true },
  'domains/$id/set-quotas': { at: '/domains/default/set-quotas', action: /No limit/, isForOperators: true },
  users: { at: '/users', action: 'Add user', isForDomain: true },
  'users/add': { at: '/users/add', action: 'Login', isForDomain: true },
  'users/$id': { at: '/users/:user', action: 'Properties', isForDomain: true },
  'users/$id/$tab': { at: '/users/:user/projects', action: 'Assign to projects', isForDomain: true },
  'users/$id/edit': { at: '/users/:user/edit', action: 'Login', isForDomain: true },
  'users/$id/assign': { at: '/users/:user/assign', action: 'Project member', isForDomain: true },
  'users/$id/password': { at: '/users/:user/password', action: 'Password', isForDomain: true },
  'users/$id/link': { at: '/users/:user/link', action: 'Make link', isForDomain: true },
  groups: { at: '/groups', action: 'Add group', isForDomain: true },
  'groups/add': { at: '/groups/add', action: 'Name', isForDomain: true },
  'groups/$id': { at: '/groups/:group', action: 'Properties', isForDomain: true },
  'groups/$id/$tab': { at: '/groups/:group/members', action: 'Add members', isForDomain: true },
  'groups/$id/edit': { at: '/groups/:group/edit', action: 'Name', isForDomain: true },
  'groups/$id/add-members': { at: '/groups/:group/add-members', action: 'ada', isForDomain: true },
  'groups/$id/assign': { at: '/groups/:group/assign', action: 'Project member', isForDomain: true },
  'identity-providers': { at: '/identity-providers', action: 'Add identity provider', isForDomain: true },
  'identity-providers/add': { at: '/identity-providers/add', action: 'Issuer', isForDomain: true },
  'identity-providers/$id': { at: '/identity-providers/:provider', action: 'Close', isForDomain: true },
  'identity-providers/$id/edit': { at: '/identity-providers/:provider/edit', action: 'Issuer', isForDomain: true },
  projects: { at: '/projects', action: 'Add project', isForDomain: true },
  'projects/add': { at: '/projects/add', action: 'Name', isForDomain: true },
  'projects/$id': { at: '/projects/:project', action: 'Properties', isForDomain: true },
  'projects/$id/$tab': { at: '/projects/:project/members', action: 'Assign members', isForDomain: true },
  'projects/$id/set-quotas': { at: '/projects/:project/set-quotas', action: 'vCPUs', isForDomain: true },
  'projects/$id/edit': { at: '/projects/:project/edit', action: 'Name', isForDomain: true },
  'projects/$id/assign': { at: '/projects/:project/assign', action: 'Project member', isForDomain: true },
  'projects/$id/unassign': { at: '/projects/:project/unassign', action: 'ada', isForDomain: true },
  'audit-log': { at: '/audit-log', action: 'Export', isForOperators: true },
  'audit-log/$id': { at: '/audit-log/1', action: 'Close', isForOperators: true },
  // who operates the cloud sees it in a project as well
  engines: { action: /./, isForOperators: false },
  'system-administrators': { at: '/system-administrators', action: 'Add user', isForOperators: true },
  'settings/certificate': { at: '/settings/certificate', action: 'Certificate', isForOperators: true },
  'settings/ldap': { at: '/settings/ldap', action: 'None', isForOperators: true },
  'settings/email': { at: '/settings/email', action: 'Mail server', isForOperators: true },
  'settings/reports': { at: '/settings/reports', action: 'Destination', isForOperators: true },
  tasks: { at: '/tasks', action: /Search|Filter/ },
}

/** Where each page of the console is swept, by its path in the table of routes. */
export const sweptPages: Readonly<Record<string, SweptPage>> = Object.fromEntries(
  routes.map((page) => [page.path, { ...ordinary(page), ...special[page.path] }]),
)
export const specialPaths = Object.keys(special)
