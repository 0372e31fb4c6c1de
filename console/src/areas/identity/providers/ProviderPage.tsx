import {
  identityProviderKind,
  identityProviders,
  type DomainProvider,
} from '@mainstay/contract/identity/identity-providers'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useIsAllTenants } from '../../../session/session'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { userResource } from '../users/resource'
import { callbackAddress, entityId } from './callback-address'
import { providerResource } from './resource'
import { useProviderActions } from './use-provider-actions'
import { useTargets } from './use-targets'

/** `/identity-providers/{id}`: provider details, in a drawer over the list. */
export default function ProviderPage() {
  const t = useT('identity')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(identityProviders.view, { id }, { kind: identityProviderKind })
  const { actions } = useProviderActions(() => go(providerResource.paths.list(), { keepsSearch: true }))
  return (
    <DrawerPage
      view={view}
      what={t('providers.one')}
      title={({ name }) => name}
      closeTo={providerResource.paths.list()}
      actions={actions}
    >
      {(provider) => <Properties provider={provider} />}
    </DrawerPage>
  )
}

function Properties({ provider }: { provider: DomainProvider }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const format = useFormat()
  const isAllTenants = useIsAllTenants()
  const { nameOf } = useTargets(provider.domain_id)
  const { id, enabled, protocol, issuer, client_id, has_secret, scope, mapping } = provider
  const isSaml = protocol === 'saml'
  const { claims, rules, unmatched } = mapping
  return (
    <>
      <Facts
        rows={[
          [
            t('providers.status'),
            <StatusBadge key="status" tone={enabled ? 'ok' : 'idle'}>
              {t(enabled ? 'providers.enabled' : 'providers.disabled')}
            </StatusBadge>,
          ],
          [t('providers.protocol'), t(`providers.protocol.${protocol}`)],
          isSaml && [
            t('providers.ourEntityId'),
            <CopyableCode key="entity">{entityId(provider.domain_id)}</CopyableCode>,
          ],
          [
            t(isSaml ? 'providers.acs' : 'providers.callback'),
            <CopyableCode key="callback">{callbackAddress(provider.domain_id, protocol)}</CopyableCode>,
          ],
          isSaml && [
            t('providers.ourMetadata'),
            <a key="metadata" href={entityId(provider.domain_id)} download>
              {t('providers.download')}
            </a>,
          ],
          [t(isSaml ? 'providers.entityId' : 'providers.issuer'), <CopyableCode key="issuer">{issuer}</CopyableCode>],
          provider.metadata_url !== null && [
            t('providers.metadataUrl'),
            <CopyableCode key="at">{provider.metadata_url}</CopyableCode>,
          ],
          provider.sso_url !== null && [
            t('providers.ssoUrl'),
            <CopyableCode key="sso">{provider.sso_url}</CopyableCode>,
          ],
          isSaml && [t('providers.certificates'), format.number(provider.certificates.length)],
          !isSaml && [t('providers.clientId'), client_id],
          !isSaml && [t('providers.secret'), t(has_secret ? 'providers.secretKept' : 'providers.secretNone')],
          !isSaml && [t('providers.scope'), scope],
          [t('providers.claimNames'), format.list([claims.name, claims.email, claims.groups])],
          [t('providers.unmatched'), t(`providers.unmatched.${unmatched}`)],
          [
            t('users.title'),
            <Link key="users" to={userResource.paths.list()} search={{ identity_provider: `in:${id}` }}>
              {t('providers.itsUsers')}
            </Link>,
          ],
          ...standardFacts(provider, patterns, isAllTenants),
        ]}
      />
      <Facts
        title={t('providers.rules')}
        rows={
          rules.length === 0
            ? [[t('providers.rulesNone'), null]]
            : rules.map((rule) => [
                rule.name,
                t('providers.ruleGives', { values: format.list(rule.values), target: nameOf(rule) }),
              ])
        }
      />
    </>
  )
}
