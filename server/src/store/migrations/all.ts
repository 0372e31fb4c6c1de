import type { Kysely } from 'kysely'
import * as inventory from './0001-to-0049/0001-inventory'
import * as tasks from './0001-to-0049/0002-tasks'
import * as identity from './0001-to-0049/0010-identity'
import * as sessions from './0001-to-0049/0011-sessions'
import * as audit from './0001-to-0049/0012-audit'
import * as credentials from './0001-to-0049/0013-credentials'
import * as sights from './0001-to-0049/0020-sights'
import * as consoleProtocols from './0001-to-0049/0021-console-protocols'
import * as handOvers from './0001-to-0049/0030-hand-overs'
import * as boundSessions from './0001-to-0049/0031-bound-sessions'
import * as leaseHolders from './0001-to-0049/0040-lease-holders'
import * as serversAndWaitingJobs from './0001-to-0049/0042-servers-and-waiting-jobs'
import * as intents from './0001-to-0049/0043-intents'
import * as numberedAfterCommit from './0001-to-0049/0044-numbered-after-commit'
import * as sideTables from './0001-to-0049/0045-side-tables'
import * as endedSessions from './0001-to-0049/0046-ended-sessions'
import * as signIn from './0001-to-0049/0048-sign-in'
import * as uuids from './0001-to-0049/0049-uuids-and-whole-subnets'
import * as imageDigests from './0050-to-0059/0051-image-digests'
import * as kindSources from './0050-to-0059/0052-kind-sources'
import * as sourcesOfRows from './0050-to-0059/0054-sources-of-rows'
import * as readers from './0050-to-0059/0055-readers'
import * as auditOutcomes from './0050-to-0059/0058-audit-outcomes'
import * as schedules from './0050-to-0059/0059-schedules'
import * as directory from './0060-to-0069/0060-directory'
import * as groups from './0060-to-0069/0061-groups'
import * as auditLog from './0060-to-0069/0063-audit-log'
import * as settings from './0060-to-0069/0064-settings'
import * as domainProperties from './0060-to-0069/0065-domain-properties'
import * as auditChain from './0060-to-0069/0066-audit-chain'
import * as apiTokens from './0060-to-0069/0068-api-tokens'
import * as passwordLinks from './0060-to-0069/0069-password-links'
import * as problemReports from './0070-problem-reports'
import * as ldap from './0072-ldap'
import * as localAccounts from './0074-local-accounts'
import * as secondFactors from './0075-second-factors'
import * as identityProviders from './0077-identity-providers'
import * as passkeys from './0078-passkeys'
import * as signInRules from './0079-sign-in-rules'
import * as signOutAtProviders from './0080-sign-out-at-providers'
import * as liveResizeByDomain from './0082-live-resize-by-domain'
import * as passkeyChallengesOfNetworks from './0083-passkey-challenges-of-networks'
import * as bulkRuns from './0094-bulk-runs'
import * as savedViews from './0095-saved-views'
import * as alerts from './0096-alerts'
import * as deletionLocks from './0098-deletion-locks'
import * as projectRemovals from './0103-project-removals'
import * as recycleBin from './0105-recycle-bin'
import * as objectStorage from './0106-object-storage'
import * as bucketSettings from './0107-bucket-settings'
import * as objectVersions from './0108-object-versions'
import * as objectLifecycle from './0109-object-lifecycle'
import * as objectBytes from './0110-object-bytes'
import * as canonicalIds from './0111-canonical-ids'
import * as s3Runs from './0112-s3-runs'
import * as objectGateway from './0114-object-gateway'
import * as s3RunSources from './0116-s3-run-sources'
import * as confirmedProviders from './0120-confirmed-providers'
import * as foldedUserNames from './0121-folded-user-names'
import * as objectQuotas from './0130-object-quotas'
import * as numbersOfAlerts from './0142-numbers-of-alerts'
import * as addressesInOneForm from './0134-addresses-in-one-form'
import * as panelsOfRuns from './0132-panels-of-runs'
import * as closeWaysIn from './0133-close-ways-in'

/** One step of the schema's history. Runs once, in a transaction, and is never edited after a release. */
export interface Migration {
  /** The file's name without its ending; what the database remembers. */
  name: string
  /**
   * Exported by a migration that only adds: the newest migration before it that a server has to know to go on with the
   * changed schema. Servers that know that one, and not this one, run beside newer servers and can be started again.
   * Without it they refuse to start.
   */
  needs?: string
  up(db: Kysely<unknown>): Promise<void>
}

/** Every migration in the order in which they run. In code and not read from a folder: the server is one file. */
export const migrations: readonly Migration[] = [
  { name: '0001-inventory', ...inventory },
  { name: '0002-tasks', ...tasks },
  { name: '0010-identity', ...identity },
  { name: '0011-sessions', ...sessions },
  { name: '0012-audit', ...audit },
  { name: '0013-credentials', ...credentials },
  { name: '0020-sights', ...sights },
  { name: '0021-console-protocols', ...consoleProtocols },
  { name: '0030-hand-overs', ...handOvers },
  { name: '0031-bound-sessions', ...boundSessions },
  { name: '0040-lease-holders', ...leaseHolders },
  { name: '0042-servers-and-waiting-jobs', ...serversAndWaitingJobs },
  { name: '0043-intents', ...intents },
  { name: '0044-numbered-after-commit', ...numberedAfterCommit },
  { name: '0045-side-tables', ...sideTables },
  { name: '0046-ended-sessions', ...endedSessions },
  { name: '0048-sign-in', ...signIn },
  { name: '0049-uuids-and-whole-subnets', ...uuids },
  { name: '0051-image-digests', ...imageDigests },
  { name: '0052-kind-sources', ...kindSources },
  { name: '0054-sources-of-rows', ...sourcesOfRows },
  { name: '0055-readers', ...readers },
  { name: '0058-audit-outcomes', ...auditOutcomes },
  { name: '0059-schedules', ...schedules },
  { name: '0060-directory', ...directory },
  { name: '0061-groups', ...groups },
  { name: '0063-audit-log', ...auditLog },
  { name: '0064-settings', ...settings },
  { name: '0065-domain-properties', ...domainProperties },
  { name: '0066-audit-chain', ...auditChain },
  { name: '0068-api-tokens', ...apiTokens },
  { name: '0069-password-links', ...passwordLinks },
  { name: '0070-problem-reports', ...problemReports },
  { name: '0072-ldap', ...ldap },
  { name: '0074-local-accounts', ...localAccounts },
  { name: '0075-second-factors', ...secondFactors },
  { name: '0077-identity-providers', ...identityProviders },
  { name: '0078-passkeys', ...passkeys },
  { name: '0079-sign-in-rules', ...signInRules },
  { name: '0080-sign-out-at-providers', ...signOutAtProviders },
  { name: '0082-live-resize-by-domain', ...liveResizeByDomain },
  { name: '0083-passkey-challenges-of-networks', ...passkeyChallengesOfNetworks },
  { name: '0094-bulk-runs', ...bulkRuns },
  { name: '0095-saved-views', ...savedViews },
  { name: '0096-alerts', ...alerts },
  { name: '0098-deletion-locks', ...deletionLocks },
  { name: '0103-project-removals', ...projectRemovals },
  { name: '0105-recycle-bin', ...recycleBin },
  { name: '0106-object-storage', ...objectStorage },
  { name: '0107-bucket-settings', ...bucketSettings },
  { name: '0108-object-versions', ...objectVersions },
  { name: '0109-object-lifecycle', ...objectLifecycle },
  { name: '0110-object-bytes', ...objectBytes },
  { name: '0111-canonical-ids', ...canonicalIds },
  { name: '0112-s3-runs', ...s3Runs },
  { name: '0114-object-gateway', ...objectGateway },
  { name: '0116-s3-run-sources', ...s3RunSources },
  { name: '0120-confirmed-providers', ...confirmedProviders },
  { name: '0121-folded-user-names', ...foldedUserNames },
  { name: '0130-object-quotas', ...objectQuotas },
  { name: '0132-panels-of-runs', ...panelsOfRuns },
  { name: '0133-close-ways-in', ...closeWaysIn },
  { name: '0134-addresses-in-one-form', ...addressesInOneForm },
  { name: '0142-numbers-of-alerts', ...numbersOfAlerts },
]
