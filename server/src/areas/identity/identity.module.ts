import { module } from '../../module'
import { accessRoleRoutes } from './access-roles.routes'
import { accountRoutes } from './account.routes'
import { domainPropertyRoutes } from './domain-properties.routes'
import { domainRoutes } from './domains.routes'
import { explanationRoutes } from './explanations.routes'
import { groupRoutes } from './groups.routes'
import { handOverRoutes } from './hand-over.routes'
import { identityProviderRoutes } from './identity-providers.routes'
import { lockNotice } from './lock-notice'
import { loginLinkRoutes } from './login-links.routes'
import { passwordLinkRoutes } from './password-links.routes'
import { resetMailing } from './reset-mail'
import { projectRoutes } from './projects.routes'
import { sessionRetention } from './session-retention'
import { secondFactorRoutes } from './second-factor.routes'
import { sessionRoutes } from './session.routes'
import { signInStepRoutes } from './sign-in-steps.routes'
import { systemAccountRoutes } from './system-accounts.routes'
import { userRoutes } from './users.routes'

export const identityModule = module({
  routes: [
    sessionRoutes,
    signInStepRoutes,
    secondFactorRoutes,
    handOverRoutes,
    accountRoutes,
    passwordLinkRoutes,
    domainRoutes,
    projectRoutes,
    userRoutes,
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
