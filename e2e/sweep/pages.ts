import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { grantsAllow } from '@mainstay/contract/core/abilities'
import { grantsOf } from '@mainstay/contract/permissions'
import { adminRoutes as routes } from '../../console/src/admin-routes'
import { loadBalancingPages } from './load-balancing'
import { networkingPages } from './networking'
import { objectStoragePages } from './object-storage'
import type { SweptPage } from './swept-page'
import { vpnPages } from './vpn'

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
const english = ({ title: { texts, key } }: PageRoute): string =>
  (JSON.parse(readFileSync(`console/locales/en/${texts}.json`, 'utf8')) as Record<string, string>)[key]!

/** A page of an ordinary resource: its list leads to its form, which begins with a name, and its details can be closed. */
function ordinary(page: PageRoute): SweptPage {
  const list = listOf(page)
  const family = routes.filter((it) => listOf(it) === list)
  const add = family.find(({ path }) => path === `${list.path}/add`)
  const isForm = /\/(add|edit)$/.test(page.path)
  return {
    // a parent is named by its kind: `$node_id` is a node
    at: `/${page.path.replace(/\$(\w+)_id\b/g, ':$1').replace('$id', `:${family.find(({ shows }) => shows)?.shows}`)}`,
    action: page.shows ? 'Close' : isForm || !add ? 'Name' : english(add),
    isForOperators: ![list, add ?? list].every(isDoneInProjects),
  }
}

const instance = '/compute/instances/:server'

/** Chooses what has this icon from the menu of the only row, in whichever language, and waits for what it asks. */
async function askByMenu(page: Page, icon: string): Promise<void> {
  await page.locator('[data-row]').getByRole('button').last().click()
  await page
    .getByRole('menuitem')
    .filter({ has: page.locator(`svg.${icon}`) })
    .click()
  await expect(page.getByRole('alertdialog').getByRole('button')).toHaveCount(2)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

/** What is not ordinary of a page. */
const special: Readonly<Record<string, Partial<SweptPage>>> = {
  ...loadBalancingPages,
  ...networkingPages,
  ...objectStoragePages,
  ...vpnPages,
  'login/{-$domainName}': { at: '/login', action: 'Sign in', isForStrangers: true },
  'login/$domainName/$idp': { at: '/login/default/company', action: 'Sign in', isForStrangers: true },
  // both lead on: nobody has begun to sign in elsewhere
  'auth/success': { at: '/auth/success', action: 'Sign in', isForStrangers: true },
  'auth/failed': { at: '/auth/failed?reason=refused', action: 'Sign in', isForStrangers: true },
  account: { action: 'Make token' },
  // nobody has been given this one
  'password-link': { at: `/password-link#${'A'.repeat(43)}`, action: 'Sign in', isForStrangers: true },
  'iframe/sign-in': { at: '/iframe/sign-in', action: 'Sign in in a new tab', isForStrangers: true },
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
  'compute/instances/$id/page': { at: `${instance}/page`, action: /Change volumes/ },
  'compute/instances/$id/page/edit/$subject': { at: `${instance}/page/edit/name`, action: 'Name' },
  'compute/servers/instances/$id/console': {
    at: '/compute/servers/instances/:server/console',
    action: 'Full screen',
  },
  'compute/images/sources': { at: '/compute/images/sources', action: /^Fetch / },
  'compute/images/$id/create-volume/{-$returnRoute}': {
    at: '/compute/images/:image/create-volume',
    action: 'Name',
  },
  'compute/volumes/$id/clone/{-$returnRoute}': { at: '/compute/volumes/:volume/clone', action: 'Name' },
  'compute/volumes/$id/image-add/{-$returnRoute}': {
    at: '/compute/volumes/:volume/image-add',
    action: 'Name of the image',
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
  'users/$id/edit/{-$returnRoute}': { at: '/users/:user/edit', action: 'Login', isForDomain: true },
  'users/$id/assign/{-$returnRoute}': { at: '/users/:user/assign', action: 'Project member', isForDomain: true },
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
  // the form of OpenID Connect is that of a new one
  'identity-providers/$id/edit': { at: '/identity-providers/:samlProvider/edit', action: 'Name', isForDomain: true },
  projects: { at: '/projects', action: 'Add project', isForDomain: true },
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
  'system-administrators': { at: '/system-administrators', action: 'Add user', isForOperators: true },
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
  'tasks/$id': { at: '/tasks/:task', action: 'The request as code' },
  'tasks/runs/$id': { at: '/tasks/runs/:bulkRun', action: /Retry/ },
}

/** Where each page of the console is swept, by its path in the table of routes. */
export const sweptPages: Readonly<Record<string, SweptPage>> = Object.fromEntries(
  routes.map((page) => [page.path, { ...ordinary(page), ...special[page.path] }]),
)
export const specialPaths = Object.keys(special)

/**
 * Pages at which axe looks in a narrow window as well: one of each kind, as all of a kind are drawn by the same components.
 * A list of cards, a form, a drawer of details, a page of its own with charts and a screen, and a wizard.
 */
export const sweptNarrowToo: ReadonlySet<string> = new Set([
  'compute/instances',
  'compute/networks/add',
  'compute/volumes/$id/{-$detailsTab}',
  'compute/instances/$id/page',
  'compute/instances/add/{-$step}',
])

const openBell = async (page: Page) => {
  await page.locator('header button:has(.lucide-bell)').click()
  await expect(page.getByRole('dialog').getByRole('tab').first()).toBeVisible()
}

/** Leaves an error in the list of this page, in words that the server has said. */
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

/** What the frame shows over a page, swept like a page. */
export const sweptOverlays: Readonly<Record<string, SweptPage>> = {
  'the bell': { at: '/tasks', action: /./, opens: openError },
  'the search': {
    at: '/tasks',
    action: /./,
    async opens(page) {
      await page.keyboard.press('Control+k')
      await expect(page.getByRole('option').first()).toBeVisible()
    },
  },
  'the filters of a list': {
    at: '/compute/instances',
    action: /./,
    async opens(page) {
      await page.getByRole('main').getByRole('combobox').first().click()
      await expect(page.getByRole('option').first()).toBeVisible()
    },
  },
  'a list in groups': { at: '/compute/instances?groupBy=status', action: 'Create virtual machine' },
  'the features': {
    at: '/tasks',
    action: /./,
    async opens(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('tab').last().click()
      await expect(page.getByRole('switch').first()).toBeVisible()
    },
  },
  'the tokens of a service account': { at: '/users/:service/tokens', action: 'Make token', isForDomain: true },
  'what goes with a machine': {
    at: '/compute/instances?name=vpn',
    action: 'Cancel',
    opens: (page) => askByMenu(page, 'lucide-trash'),
  },
  'the question before a volume goes': {
    at: '/compute/volumes?name=media',
    action: 'Delete for good at once',
    opens: (page) => askByMenu(page, 'lucide-trash'),
  },
  'the question of a lock': {
    at: '/compute/volumes?name=media',
    action: 'Reason',
    opens: (page) => askByMenu(page, 'lucide-lock'),
  },
  'the question whether somebody is there': {
    at: '/tasks',
    action: /./,
    async opens(page) {
      // time stands still in the last minute before the default would be reached, and nobody is signed out
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
