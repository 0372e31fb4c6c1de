import { area } from '../core/area'
import { accessRoleCalls } from './access-roles'
import { account } from './account'
import { domainProperties } from './domain-properties'
import { domainKind, domains } from './domains'
import { explanations } from './explanations'
import { groupKind, groups } from './groups'
import { handOver } from './hand-over'
import { identityProviderKind, identityProviders } from './identity-providers'
import { loginLinks } from './login-link'
import { passkeys, passkeySignIn } from './passkeys'
import { passwordLinks } from './password-links'
import { projectKind, projects } from './projects'
import { secondFactor } from './second-factor'
import { serviceTokens } from './service-tokens'
import { session } from './session'
import { signInRules } from './sign-in-rules'
import { signInSteps } from './sign-in-steps'
import { systemAccounts } from './system-accounts'
import { identityTolerances } from './tolerances'
import { userKind, users } from './users'

export const identityArea = area({
  name: 'identity',
  title: 'users and projects',
  engine: { inEveryCloud: true },
  resources: {
    session: { calls: session },
    accessRoles: { calls: accessRoleCalls },
    handOver: { calls: handOver },
    account: { calls: account },
    domains: { kind: domainKind, calls: domains },
    domainProperties: { calls: domainProperties },
    loginLinks: { calls: loginLinks },
    projects: { kind: projectKind, calls: projects },
    users: { kind: userKind, calls: users },
    systemAccounts: { calls: systemAccounts },
    passwordLinks: { calls: passwordLinks },
    signInSteps: { calls: signInSteps },
    signInRules: { calls: signInRules },
    secondFactor: { calls: secondFactor },
    passkeys: { calls: passkeys },
    serviceTokens: { calls: serviceTokens },
    passkeySignIn: { calls: passkeySignIn },
    groups: { kind: groupKind, calls: groups },
    identityProviders: { kind: identityProviderKind, calls: identityProviders },
    explanations: { calls: explanations },
  },
  tolerances: identityTolerances,
})
