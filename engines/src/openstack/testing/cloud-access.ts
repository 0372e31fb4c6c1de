import type { CloudChoice } from '../../ports/engines'
import { readCloudSettings } from '../configuration/cloud-settings'
import type { CloudAccess } from './plain-client'

type Environment = Record<string, string | undefined>

/** Returns the cloud under test, selected by the same environment variables as in the server's configuration. */
export function cloudChoice(environment: Environment): CloudChoice {
  const variables = Object.fromEntries(
    Object.entries(environment).filter((it): it is [string, string] => it[0].startsWith('OS_') && Boolean(it[1])),
  )
  return {
    name: environment['MAINSTAY_CLOUD'] ?? variables['OS_CLOUD'] ?? null,
    variables,
    notificationsUrl: environment['OPENSTACK_NOTIFICATIONS_URL'] ?? null,
    webssoUrl: null,
    folder: process.cwd(),
    home: environment['HOME'] ?? '/',
  }
}

/**
 * Returns the credentials of the cloud's administrator. Throws unless they include a username, a password and a
 * project.
 */
export function cloudAccess(environment: Environment): CloudAccess {
  const { authUrl, credentials, scope, endpoints: doors } = readCloudSettings(cloudChoice(environment))
  const project = typeof scope === 'object' && 'project' in scope ? scope.project : undefined
  if (credentials.method !== 'password' || !project) throw new Error('tests need a user with a password and a project')
  return {
    authUrl,
    username: nameOf(credentials.user, 'user'),
    password: credentials.password.reveal(),
    userDomain: domainOf(credentials.user, 'user'),
    projectName: nameOf(project, 'project'),
    projectDomain: domainOf(project, 'project'),
    region: doors.region ?? null,
  }
}

type Named = { id: string } | { name: string; domain: { id: string } | { name: string } }

function nameOf(it: Named, what: string): string {
  if ('name' in it) return it.name
  throw new Error(`tests need the ${what} by its name, not by its id`)
}

function domainOf(it: Named, what: string): string {
  if ('domain' in it && 'name' in it.domain) return it.domain.name
  throw new Error(`tests need the domain of the ${what} by its name`)
}
