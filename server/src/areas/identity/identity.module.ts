import { createFederation, type Federation } from '../../federation/federation'
import { createConsoleAddresses, type ConsoleAddresses } from '../../http/addresses/console-addresses'
import { module } from '../../module'
import { selfServiceOf, type SelfService } from '../../self-service'
import { createHandOvers, type ExternalSignIns } from '../../session/external-sign-ins'
import { createDomainProperties, type DomainProperties } from '../../store/domain-properties'
import { accessRoleRoutes } from './access-roles.routes'
import { accountRoutes } from './account.routes'
import { domainPropertyRoutes } from './domain-properties.routes'
import { domainRoutes } from './domains.routes'
import { explanationRoutes } from './explanations/explanations.routes'
import { groupRoutes } from './groups.routes'
import { handOverRoutes } from './sign-in/hand-over.routes'
import { identityProviderRoutes } from './identity-providers.routes'
import { beginLockNotice, lockNotice } from './sign-in/lock-notice'
import { loginLinkRoutes } from './sign-in/login-links.routes'
import { passkeyRoutes, passkeySignInRoutes } from './sign-in/passkeys.routes'
import { passwordLinkRoutes } from './sign-in/password-links.routes'
import { resetMailing } from './sign-in/reset-mail'
import { projectRoutes } from './projects.routes'
import { sessionRetention } from './sign-in/session-retention'
import { secondFactorRoutes } from './sign-in/second-factor.routes'
import { sessionRoutes } from './sign-in/session.routes'
import { signInRuleRoutes } from './sign-in-rules.routes'
import { serviceTokenRoutes } from './service-tokens.routes'
import { signInStepRoutes } from './sign-in/sign-in-steps.routes'
import { systemAccountRoutes } from './system-accounts.routes'
import { userRoutes } from './users.routes'

declare module '../../tools' {
  interface AreaTools {
    domainProperties: DomainProperties
    handOvers: ExternalSignIns
    federation: Federation
    /** Addresses of the self-service panel. */
    selfService: SelfService
    consoleAddresses: ConsoleAddresses
  }
}

export const identityModule = module({
  routes: [
    sessionRoutes,
    signInStepRoutes,
    signInRuleRoutes,
    secondFactorRoutes,
    passkeyRoutes,
    passkeySignInRoutes,
    handOverRoutes,
    accountRoutes,
    passwordLinkRoutes,
    domainRoutes,
    projectRoutes,
    userRoutes,
    serviceTokenRoutes,
    systemAccountRoutes,
    groupRoutes,
    identityProviderRoutes,
    explanationRoutes,
    domainPropertyRoutes,
    loginLinkRoutes,
    accessRoleRoutes,
  ],
  jobs: [lockNotice, resetMailing],
  schedules: [sessionRetention],
  open({ config, sql, settings, identity, sealingKey }) {
    const handOvers = createHandOvers(sql)
    const federation = createFederation({ identity, handOvers, sealingKey, trusted: config.providerHosts })
    return {
      tools: {
        handOvers,
        federation,
        domainProperties: createDomainProperties(sql, settings),
        selfService: selfServiceOf(config),
        consoleAddresses: createConsoleAddresses(config),
      },
      secrets: () => federation.secrets(),
      close: () => federation.close(),
    }
  },
  onLocked: (who, { inventory, log }) =>
    beginLockNotice(inventory, who).catch((err: unknown) => log.warn({ err }, 'failed to report failed sign-ins')),
})
