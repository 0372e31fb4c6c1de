import type { DomainProvider } from '@mainstay/contract/identity/identity-providers'
import type { Mapping } from '@mainstay/contract/identity/provider-mapping'
import type { MappingFault } from '@mainstay/contract/identity/mapping-faults'
import type { DomainPermission, ProjectRole } from '@mainstay/contract/identity/user-roles'
import type { Scope } from './scope'

/*
 * Identity providers of domains and the users who sign in through them, for engines that manage users themselves. The
 * server talks to the providers; the engine stores them and creates the users.
 */

/** A stored provider. Its secret is sealed by the server and opaque to the engine. */
export interface KeptProvider extends DomainProvider {
  domain_name: string
  sealed: Buffer | null
}

/** Settings of a provider, without its secret. */
export type NewProvider = Omit<DomainProvider, 'id' | 'domain_id' | 'has_secret' | 'created_at'>
/** Omitted fields stay unchanged. */
export type ProviderUpdate = {
  [Name in Exclude<keyof NewProvider, 'protocol'>]?: NewProvider[Name] | undefined
}

/** Seals the secret for the provider with this ID. */
export type SealSecret = (id: string) => Buffer | null

/** The result of applying a provider's mapping rules to the claims of a user. */
export interface MappedClaims {
  name: string
  email: string | null
  group_ids: string[]
  domain_permissions: DomainPermission[]
  projects: { project_id: string; role: ProjectRole }[]
}

/** The result of a dry run of `enter`: the groups and projects that exist, and whether the username is available. */
export interface EntryCheck {
  is_new: boolean
  groups: { id: string; name: string }[]
  projects: { id: string; name: string; role: ProjectRole }[]
  refusal: Extract<MappingFault, 'name_taken' | 'disabled'> | null
}

/**
 * Rules can refer only to groups and projects in the domain (otherwise a `validation` error). A provider assigns groups
 * with system permissions only if a system administrator made its last change. Only system administrators can change a
 * provider whose rules or users have system permissions (otherwise a `forbidden` error).
 */
export interface ProvidersPort {
  create(scope: Scope, domainId: string, settings: NewProvider, seal: SealSecret): Promise<DomainProvider>
  /** Pass null as `seal` to keep the secret. Throws a `conflict` error if existing users come from another issuer. */
  update(
    scope: Scope,
    domainId: string,
    id: string,
    change: ProviderUpdate,
    seal: SealSecret | null,
  ): Promise<DomainProvider>
  /** Deletes a provider. Without `withUsers`, throws a `provider_has_users` error with the number of users. */
  delete(scope: Scope, domainId: string, id: string, how: { withUsers: boolean }): Promise<void>
  /** Returns the sealed secrets of all providers, including disabled ones. */
  sealed(): Promise<{ id: string; sealed: Buffer }[]>
  /**
   * Returns the providers that users of a domain, given by name or ID, can sign in through: both the provider and the
   * domain are enabled.
   */
  open(domain: string): Promise<KeptProvider[]>
  /** Returns the provider if both it and its domain are enabled; null otherwise. */
  find(id: string): Promise<KeptProvider | null>
}

export interface FederationPort {
  providers: ProvidersPort
  /** Throws a `validation` error on the field of a rule that refers to something missing in the domain. */
  checkMapping(scope: Scope, domainId: string, mapping: Mapping): Promise<void>
  /** Dry run of `enter`. `providerId` is null for a provider that has not been created yet. */
  check(domainId: string, providerId: string | null, subject: string, mapped: MappedClaims): Promise<EntryCheck>
  /**
   * Creates the user described by the provider, or updates an existing user. Returns the user ID, or why the user was
   * refused. Disabled users are accepted here; the caller checks whether they may continue.
   */
  enter(
    providerId: string,
    subject: string,
    mapped: MappedClaims,
  ): Promise<{ userId: string } | { refusal: 'name_taken' | 'disabled' }>
}
