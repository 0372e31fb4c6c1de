import {
  Mapping,
  ProviderDraft,
  type DomainProvider,
  type ProviderChange,
} from '@mainstay/contract/identity/identity-providers'
import * as z from 'zod'

/** A provider as its form asks it: an empty text where there is nothing. */
export const ProviderForm = ProviderDraft.pick({
  name: true,
  issuer: true,
  client_id: true,
  scope: true,
  request_timeout: true,
  enabled: true,
}).extend({
  client_secret: z.string().max(1024, 'Use at most 1024 characters'),
  mapping: Mapping,
})
export type ProviderForm = z.output<typeof ProviderForm>

export const emptyProvider: z.input<typeof ProviderForm> = {
  ...{ name: '', issuer: '', client_id: '', client_secret: '', enabled: true },
  ...{ scope: 'openid email profile', request_timeout: 5 },
  mapping: { claims: { name: 'preferred_username', email: 'email', groups: 'groups' }, rules: [], unmatched: 'admit' },
}

export const startOf = ({
  name,
  issuer,
  client_id,
  scope,
  request_timeout,
  enabled,
  mapping,
}: DomainProvider): z.input<typeof ProviderForm> => ({
  ...{ name, issuer, client_id, scope, request_timeout, enabled, mapping },
  client_secret: '',
})

/** What the form has for a call: an empty secret is left as it is, and there is none for a new provider. */
export const providerOf = ({ client_secret, ...rest }: ProviderForm) =>
  ({ ...rest, ...(client_secret !== '' && { client_secret }) }) satisfies ProviderChange
