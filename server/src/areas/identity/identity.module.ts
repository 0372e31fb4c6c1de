import { module } from '../../module'
import { accessRoleRoutes } from './access-roles.routes'
import { accountRoutes } from './account.routes'
import { domainPropertyRoutes } from './domain-properties.routes'
import { domainRoutes } from './domains.routes'
import { explanationRoutes } from './explanations/explanations.routes'
import { groupRoutes } from './groups.routes'
import { handOverRoutes } from './sign-in/hand-over.routes'
import { identityProviderRoutes } from './identity-providers.routes'
import { lockNotice } from './sign-in/lock-notice'
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
})
