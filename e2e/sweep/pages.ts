import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { grantsAllow } from '@mainstay/contract/core/abilities'
import { grantsOf } from '@mainstay/contract/permissions'
import { adminRoutes as routes } from '../../console/src/admin-routes'
import { infrastructurePages } from './infrastructure'
import { loadBalancingPages } from './load-balancing'
import { networkingPages } from './networking'
import { objectStoragePages } from './object-storage'
import { protectionPages } from './protection'
import { storagePages } from './storage'
import type { SweptPage } from './swept-page'
import { vpnPages } from './vpn'

type PageRoute = (typeof routes)[number]

/** If the page is shown as an overlay on a list, returns the list; otherwise, returns the page itself. */
function listOf(page: PageRoute): PageRoute {
  const base = routes.find(({ path }) => path === page.over)
  return base ? listOf(base) : page
}

/** All permissions in projects. */
const inProjects = grantsOf(['domain_admin', 'image_upload'], 'project')
const isDoneInProjects = ({ needs }: PageRoute): boolean =>
  typeof needs !== 'object' || grantsAllow(inProjects, needs.resource, needs.ability)
const english = ({ title: { texts, key } }: PageRoute): string =>
  (JSON.parse(readFileSync(`console/locales/en/${texts}.json`, 'utf8')) as Record<string, string>)[key]!

/**
 * Returns the defaults for a resource page: the list links to a form whose first field is the name, and details can be
 * closed.
 */
function ordinary(page: PageRoute): SweptPage {
  const list = listOf(page)
  const family = routes.filter((it) => listOf(it) === list)
  const add = family.find(({ path }) => path === `${list.path}/add`)
  const isForm = /\/(add|edit)$/.test(page.path)
  return {
    // parent IDs are named after the kind: `$node_id` is the ID of a node
    at: `/${page.path.replace(/\$(\w+)_id\b/g, ':$1').replace('$id', `:${family.find(({ shows }) => shows)?.shows}`)}`,
    action: page.shows ? 'Close' : isForm || !add ? 'Name' : english(add),
    isForOperators: ![list, add ?? list].every(isDoneInProjects),
  }
}

const instance = '/compute/instances/:server'

/** Chooses the action with this icon from the menu of the only row, and waits for its dialog. Works in any language. */
async function askByMenu(page: Page, icon: string): Promise<void> {
  await page.locator('[data-row]').getByRole('button').last().click()
  await page
    .getByRole('menuitem')
    .filter({ has: page.locator(`svg.${icon}`) })
    .click()
  await expect(page.getByRole('alertdialog').getByRole('button')).toHaveCount(2)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

/** Exceptions to the defaults. */
const special: Readonly<Record<string, Partial<SweptPage>>> = {
  ...infrastructurePages,
  ...loadBalancingPages,
  ...networkingPages,
  ...objectStoragePages,
  ...protectionPages,
  ...storagePages,
  ...vpnPages,
  'login/{-$domainName}': { at: '/login', action: 'Sign in', isForStrangers: true },
  'login/$domainName/$idp': { at: '/login/default/company', action: 'Sign in', isForStrangers: true },
  // both pages redirect to the sign-in page, because no sign-in with a provider has started
  'auth/success': { at: '/auth/success', action: 'Sign in', isForStrangers: true },
  'auth/failed': { at: '/auth/failed?reason=refused', action: 'Sign in', isForStrangers: true },
  account: { action: 'Create token' },
  // an invalid token
  'password-link': { at: `/password-link#${'A'.repeat(43)}`, action: 'Sign in', isForStrangers: true },
  'iframe/sign-in': { at: '/iframe/sign-in', action: 'Open the sign-in page in a new tab', isForStrangers: true },
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
  'compute/instances/$id/page': { at: `${instance}/page`, action: /Manage volumes/ },
  'compute/instances/$id/page/edit/$subject': { at: `${instance}/page/edit/name`, action: 'Name' },
  'compute/servers/instances/$id/console': {
    at: '/compute/servers/instances/:server/console',
    action: 'Full screen',
  },
  'compute/images/sources': { at: '/compute/images/sources', action: /^Import / },
  'compute/images/$id/create-volume/{-$returnRoute}': {
    at: '/compute/images/:image/create-volume',
    action: 'Name',
  },
  'compute/placements/$id': { action: /Nodes for/ },
  'compute/placements/$id/assign/$carrier': { at: '/compute/placements/:placement/assign/flavors', action: /s1/ },
  domains: { at: '/domains', action: 'Create domain', isForOperators: true },
  'domains/add': { at: '/domains/add', action: 'Name', isForOperators: true },
  'domains/$id': { at: '/domains/default', action: 'Close', isForOperators: true },
  'domains/$id/edit': { at: '/domains/default/edit', action: 'Name', isForOperators: true },
  'domains/$id/set-quotas': { at: '/domains/default/set-quotas', action: /No limit/, isForOperators: true },
  users: { at: '/users', action: 'Create user', isForDomain: true },
  'users/add': { at: '/users/add', action: 'Username', isForDomain: true },
  'users/$id': { at: '/users/:user', action: 'Properties', isForDomain: true },
  'users/$id/$tab': { at: '/users/:user/projects', action: 'Assign to projects', isForDomain: true },
  'users/$id/edit/{-$returnRoute}': { at: '/users/:user/edit', action: 'Username', isForDomain: true },
  'users/$id/assign/{-$returnRoute}': { at: '/users/:user/assign', action: 'Project member', isForDomain: true },
  'users/$id/password': { at: '/users/:user/password', action: 'Password', isForDomain: true },
  'users/$id/link': { at: '/users/:user/link', action: 'Create link', isForDomain: true },
  groups: { at: '/groups', action: 'Create group', isForDomain: true },
  'groups/add': { at: '/groups/add', action: 'Name', isForDomain: true },
  'groups/$id': { at: '/groups/:group', action: 'Properties', isForDomain: true },
  'groups/$id/$tab': { at: '/groups/:group/members', action: 'Add members', isForDomain: true },
  'groups/$id/edit': { at: '/groups/:group/edit', action: 'Name', isForDomain: true },
  'groups/$id/add-members': { at: '/groups/:group/add-members', action: 'ada', isForDomain: true },
  'groups/$id/assign': { at: '/groups/:group/assign', action: 'Project member', isForDomain: true },
  'identity-providers': { at: '/identity-providers', action: 'Add identity provider', isForDomain: true },
  'identity-providers/add': { at: '/identity-providers/add', action: 'Issuer', isForDomain: true },
  'identity-providers/$id': { at: '/identity-providers/:provider', action: 'Close', isForDomain: true },
  // edits a SAML provider, because `add` already shows the OpenID Connect form
  'identity-providers/$id/edit': { at: '/identity-providers/:samlProvider/edit', action: 'Name', isForDomain: true },
  projects: { at: '/projects', action: 'Create project', isForDomain: true },
  'projects/add': { at: '/projects/add', action: 'Name', isForDomain: true },
  'projects/$id': { at: '/projects/:project', action: 'Properties', isForDomain: true },
  'projects/$id/$tab': { at: '/projects/:project/members', action: 'Assign members', isForDomain: true },
  'projects/$id/set-quotas': { at: '/projects/:project/set-quotas', action: 'vCPUs', isForDomain: true },
  'projects/$id/edit/{-$returnRoute}': { at: '/projects/:project/edit', action: 'Name', isForDomain: true },
  'projects/$id/assign/{-$returnRoute}': {
    at: '/projects/:project/assign',
    action: 'Project member',
    isForDomain: true,
  },
  'projects/$id/unassign/{-$returnRoute}': { at: '/projects/:project/unassign', action: 'ada', isForDomain: true },
  'audit-log': { at: '/audit-log', action: 'Export', isForOperators: true },
  'audit-log/$id': { at: '/audit-log/1', action: 'Close', isForOperators: true },
  engines: { action: /./, isForOperators: true },
  'infrastructure/locations': { action: 'Add room', isForOperators: true },
  'infrastructure/backup': { action: 'Backups to keep', isForOperators: true },
  'infrastructure/recovery-points': {
    at: '/infrastructure/recovery-points',
    action: 'Folder path',
    isForOperators: true,
  },
  'system-administrators': { at: '/system-administrators', action: 'Create user', isForOperators: true },
  'settings/appearance': { at: '/settings/appearance', action: 'Change appearance', isForOperators: true },
  'settings/certificate': { at: '/settings/certificate', action: 'Certificate', isForOperators: true },
  'settings/ldap': { at: '/settings/ldap', action: 'None', isForOperators: true },
  'settings/email': { at: '/settings/email', action: 'Mail server', isForOperators: true },
  'settings/recycle-bin': { at: '/settings/recycle-bin', action: /Days in/, isForOperators: true },
  'settings/sessions': { at: '/settings/sessions', action: /Sign out after/, isForOperators: true },
  'settings/reports': { at: '/settings/reports', action: 'Destination', isForOperators: true },
  monitoring: { at: '/monitoring', action: 'Create virtual machine' },
  tasks: { at: '/tasks', action: /Search|Filter/ },
  alerts: { at: '/alerts', action: /Search|Filter/ },
  'alerts/rules': { at: '/alerts/rules', action: /Search|Filter/, isForOperators: true },
  'alerts/rules/$id/edit': { at: '/alerts/rules/vm_high_cpu/edit', action: 'Threshold', isForOperators: true },
  'tasks/$id': { at: '/tasks/:task', action: 'Request as code' },
  'tasks/runs/$id': { at: '/tasks/runs/:bulkRun', action: /Retry/ },
}

/** How to sweep each console page, by its path in the route table. */
export const sweptPages: Readonly<Record<string, SweptPage>> = Object.fromEntries(
  routes.map((page) => [page.path, { ...ordinary(page), ...special[page.path] }]),
)
export const specialPaths = Object.keys(special)

/**
 * Pages that axe also checks in a narrow window: one of each kind, because similar pages share their components. They
 * are a list of cards, a form, a details drawer, a full page with charts and a screen, and a wizard.
 */
export const sweptNarrowToo: ReadonlySet<string> = new Set([
  'compute/instances',
  'compute/networks/add',
  'compute/volumes/$id',
  'compute/volumes/$id/$tab',
  'compute/instances/$id/page',
  'compute/instances/add/{-$step}',
])

/**
 * Pages and overlays that only `test:all` sweeps, because the gate sweeps the same component elsewhere: at another
 * path, over another page, as the target of a redirect, or as the form that creates an object.
 */
export const sweptInAllOnly: ReadonlySet<string> = new Set([
  ...Object.keys(sweptPages).filter((path) => /[/-]edit/.test(path)),
  'login/$domainName/$idp',
  'auth/success',
  'auth/failed',
  'void',
  // the same body as `error403`, which has more buttons
  ...['error', 'error404', 'error500', 'error503', 'error-service-disabled'],
  'compute/routers/add-interface/$id',
  'compute/security-groups/$id/rules',
  'compute/load-balancers/$id/add-pool/{-$step}',
  'compute/volume-snapshots/$id',
  'compute/images/$id/create-volume/{-$returnRoute}',
  'compute/instances/$id/page/recovery-points',
  'compute/instances/$id/$tab/recovery-points',
  'compute/instances/$id/$tab/restore/$pointId',
  'compute/instances/$id/$tab/replace/$pointId',
  'delete dialog of a virtual machine',
])

const openBell = async (page: Page) => {
  await page.locator('header button:has(.lucide-bell)').click()
  await expect(page.getByRole('dialog').getByRole('tab').first()).toBeVisible()
}

/** Adds an error to the notifications, containing words from server data, and opens them. */
async function openError(page: Page) {
  await page.evaluate(() => {
    const user = (JSON.parse(localStorage.getItem('user')!) as { id: string }).id
    const name = (JSON.parse(localStorage.getItem('currentProject')!) as { name: string }).name
    const said = {
      type: 'error',
      title: name,
      message: `${name}\n`.repeat(12),
      timestamp: Date.now(),
      isSeen: false,
      count: 2,
    }
    localStorage.setItem('notifications', JSON.stringify({ version: 2, user, notices: [{ id: 'swept', ...said }] }))
    dispatchEvent(new StorageEvent('storage', { key: 'notifications' }))
  })
  await openBell(page)
}

/** Overlays and states without their own route, which are swept like a page. */
export const sweptOverlays: Readonly<Record<string, SweptPage>> = {
  notifications: { at: '/tasks', action: /./, opens: openError },
  search: {
    at: '/tasks',
    action: /./,
    async opens(page) {
      await page.keyboard.press('Control+k')
      await expect(page.getByRole('option').first()).toBeVisible()
    },
  },
  'list filters': {
    at: '/compute/instances',
    action: /./,
    async opens(page) {
      await page.getByRole('main').getByRole('combobox').first().click()
      await expect(page.getByRole('option').first()).toBeVisible()
    },
  },
  'grouped list': { at: '/compute/instances?groupBy=status', action: 'Create virtual machine' },
  'calendar of recovery points': {
    at: '/compute/recovery-points?show=calendar',
    action: 'Create recovery point',
  },
  'virtual machines by day': { at: '/compute/recovery-points?show=machines', action: 'Create recovery point' },
  'protection of a virtual machine': { at: `${instance}/protection`, action: /./ },
  'feature switches': {
    at: '/tasks',
    action: /./,
    async opens(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('tab').last().click()
      await expect(page.getByRole('switch').first()).toBeVisible()
    },
  },
  'tokens of a service account': { at: '/users/:service/tokens', action: 'Create token', isForDomain: true },
  'delete dialog of a virtual machine': {
    at: '/compute/instances?name=vpn',
    action: 'Cancel',
    opens: (page) => askByMenu(page, 'lucide-trash'),
  },
  'delete dialog of a volume': {
    at: '/compute/volumes?name=media',
    action: 'Skip the recycle bin and delete permanently',
    opens: (page) => askByMenu(page, 'lucide-trash'),
  },
  'lock dialog of a volume': {
    at: '/compute/volumes?name=media',
    action: 'Reason',
    opens: (page) => askByMenu(page, 'lucide-lock'),
  },
  'idle timeout warning': {
    at: '/tasks',
    action: /./,
    async opens(page) {
      // keeps the idle time in the last minute before the default limit, so that the user stays signed in
      await page.evaluate(() =>
        setInterval(() => {
          const record = { value: 14 * 60 + 15, timestamp: Date.now() }
          localStorage.setItem('leaveTime-self-service', JSON.stringify(record))
        }, 200),
      )
      await expect(page.getByRole('alertdialog')).toBeVisible()
    },
  },
}
