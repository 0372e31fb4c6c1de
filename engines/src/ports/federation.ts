import type { DomainProvider } from '@mainstay/contract/identity/identity-providers'
import type { Mapping } from '@mainstay/contract/identity/provider-mapping'
import type { MappingFault } from '@mainstay/contract/identity/mapping-faults'
import type { DomainPermission, ProjectRole } from '@mainstay/contract/identity/user-roles'
import type { Scope } from './scope'

/*
 * Identity providers of domains and who has signed in through them, for an engine that keeps its users itself. The server speaks
 * with the providers; the engine keeps them, and makes users of whom they vouch for.
 */

/** A provider as it is kept: its secret is sealed by the server, and means nothing to the engine. */
export interface KeptProvider extends DomainProvider {
  domain_name: string
  sealed: Buffer | null
}

/** What is kept of a provider beside its secret. */
export type NewProvider = Omit<DomainProvider, 'id' | 'domain_id' | 'has_secret' | 'created_at'>
/** What is left out stays as it is. */
export type ProviderUpdate = {
  [Name in Exclude<keyof NewProvider, 'protocol'>]?: NewProvider[Name] | undefined
}

/** Seals the secret of the provider of this id. */
export type SealSecret = (id: string) => Buffer | null

/** What somebody's claims give by the rules of a provider. */
export interface MappedClaims {
  name: string
  email: string | null
  group_ids: string[]
  domain_permissions: DomainPermission[]
  projects: { project_id: string; role: ProjectRole }[]
}

/** What entering would find: groups and projects that are there, and whose name it is. */
export interface EntryCheck {
  is_new: boolean
  groups: { id: string; name: string }[]
  projects: { id: string; name: string; role: ProjectRole }[]
  refusal: Extract<MappingFault, 'name_taken' | 'disabled'> | null
}

/**
 * Rules name groups and projects of the domain (`validation`). A provider gives groups with system permissions only while a system
 * administrator was the last one to change it. A provider whose rules or users have system permissions is
 * changed by system administrators alone (`forbidden`).
 */
export interface ProvidersPort {
  create(scope: Scope, domainId: string, settings: NewProvider, seal: SealSecret): Promise<DomainProvider>
  /** `seal`: null where the secret stays. Throws `conflict` for another issuer than that of the users there are. */
  update(
    scope: Scope,
    domainId: string,
    id: string,
    change: ProviderUpdate,
    seal: SealSecret | null,
  ): Promise<DomainProvider>
  /** Throws `provider_has_users` with their count unless these are to go as well. */
  delete(scope: Scope, domainId: string, id: string, how: { withUsers: boolean }): Promise<void>
  /** Secrets of all providers, also of disabled ones, as the server has sealed them. */
  sealed(): Promise<{ id: string; sealed: Buffer }[]>
  /** Those of a domain, by its name or its id, through which one may sign in: enabled, and the domain as well. */
  open(domain: string): Promise<KeptProvider[]>
  /** One that is enabled, as its domain is; null for every other one. */
  find(id: string): Promise<KeptProvider | null>
}

export interface FederationPort {
  providers: ProvidersPort
  /** Throws `validation` with the field of a rule where it names what there is not in the domain. */
  checkMapping(scope: Scope, domainId: string, mapping: Mapping): Promise<void>
  /** What `enter` would find, and change nothing. `providerId`: null for a provider that is not there yet. */
  check(domainId: string, providerId: string | null, subject: string, mapped: MappedClaims): Promise<EntryCheck>
  /**
   * Makes the user for whom the provider vouches, or brings an earlier one up to what it says now. Answers the id, or why there
   * is none. Also a disabled user enters here: who may go on is asked afterwards.
   */
  enter(
    providerId: string,
    subject: string,
    mapped: MappedClaims,
  ): Promise<{ userId: string } | { refusal: 'name_taken' | 'disabled' }>
}
