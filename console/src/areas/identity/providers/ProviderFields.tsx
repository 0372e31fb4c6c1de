import { identityProviders, protocols, type Protocol } from '@mainstay/contract/identity/identity-providers'
import { unmatchedChoices } from '@mainstay/contract/identity/provider-mapping'
import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Checkbox, NumberField, RadioCards, TextField } from '../../../patterns/form/form-fields'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { useBound } from '../../../patterns/form/use-bound'
import { useWatched } from '../../../patterns/form/use-watched'
import { Button } from '../../../ui/Button'
import { Disclosure } from '../../../ui/Disclosure'
import { Banner } from '../../../ui/feedback/Banner'
import { RadioCards as RadioCardsOf } from '../../../ui/fields/RadioCards'
import { InfoIcon } from '../../../ui/icons'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { callbackAddress, entityId } from './callback-address'
import { PreviewOfClaims } from './PreviewOfClaims'
import { usualClaims } from './provider-form'
import { ResponseCheck } from './ResponseCheck'
import { RulesField } from './RulesField'
import { SamlFields } from './SamlFields'

interface ProviderFieldsProps {
  domainId: string
  /** The provider to edit, or null to add one. */
  providerId: string | null
  hasSecret?: boolean
}

/** All form fields for a provider, including a connection test and a preview of the claim mapping. */
export function ProviderFields({ domainId, providerId, hasSecret = false }: ProviderFieldsProps) {
  const t = useT('identity')
  const protocol = useWatched<Protocol>('protocol')
  return (
    <>
      <TextField
        name="name"
        label={t('providers.name')}
        help={t('providers.nameHelp')}
        autoFocus={providerId === null}
      />
      {providerId === null && <ProtocolChoice />}
      <OurNames domainId={domainId} protocol={protocol} />
      {protocol === 'saml' ? (
        <SamlFields domainId={domainId} />
      ) : (
        <OpenIdFields domainId={domainId} hasSecret={hasSecret} />
      )}
      <Disclosure title={t(protocol === 'saml' ? 'providers.attributes' : 'providers.claims')}>
        {protocol === 'openid' && <TextField name="scope" label={t('providers.scope')} isMono />}
        <TextField name="mapping.claims.name" label={t('providers.claimName')} isMono />
        <TextField name="mapping.claims.email" label={t('providers.claimEmail')} isMono />
        <TextField
          name="mapping.claims.groups"
          label={t('providers.claimGroups')}
          help={t(protocol === 'saml' ? 'providers.attributeHelp' : 'providers.claimHelp')}
          isMono
        />
        <NumberField name="request_timeout" label={t('providers.timeout')} />
      </Disclosure>
      <RulesField domainId={domainId} />
      <RadioCards
        name="mapping.unmatched"
        label={t('providers.unmatched')}
        items={unmatchedChoices.map((id) => ({
          id,
          label: t(`providers.unmatched.${id}`),
          description: t(`providers.unmatchedHelp.${id}`),
        }))}
      />
      <PreviewOfClaims key={protocol} domainId={domainId} providerId={providerId} protocol={protocol} />
      {protocol === 'saml' && providerId !== null && <ResponseCheck domainId={domainId} providerId={providerId} />}
      <Checkbox name="enabled" help={t('providers.enableHelp')}>
        {t('providers.enabled')}
      </Checkbox>
    </>
  )
}

/**
 * Changing the protocol also changes the claim names to the names usually used with that protocol, unless the user has
 * edited them.
 */
function ProtocolChoice() {
  const t = useT('identity')
  const { getValues, setValue } = useFormContext()
  const { value, onChange, ...bound } = useBound<Protocol>('protocol')
  return (
    <RadioCardsOf<Protocol>
      {...bound}
      label={t('providers.protocol')}
      items={protocols.map((id) => ({
        id,
        label: t(`providers.protocol.${id}`),
        description: t(`providers.protocolHelp.${id}`),
      }))}
      value={value}
      onChange={(next) => {
        if (getValues('mapping.claims.name') === usualClaims[value].name) setValue('mapping.claims', usualClaims[next])
        onChange(next)
      }}
    />
  )
}

/** The console's own URLs, which must be registered with the provider. */
function OurNames({ domainId, protocol }: { domainId: string; protocol: Protocol }) {
  const t = useT('identity')
  const isSaml = protocol === 'saml'
  return (
    <Banner tone="idle" icon={InfoIcon} title={t(isSaml ? 'providers.ourNames' : 'providers.callback')}>
      <p>{t(isSaml ? 'providers.ourNamesHelp' : 'providers.callbackHelp')}</p>
      {isSaml && (
        <>
          <p>{t('providers.ourEntityId')}</p>
          <CopyableCode>{entityId(domainId)}</CopyableCode>
          <p>{t('providers.acs')}</p>
        </>
      )}
      <CopyableCode>{callbackAddress(domainId, protocol)}</CopyableCode>
      {isSaml && (
        <p>
          <a href={entityId(domainId)} download>
            {t('providers.download')}
          </a>
        </p>
      )}
    </Banner>
  )
}

/** Fields that only OpenID Connect providers have. */
function OpenIdFields({ domainId, hasSecret }: { domainId: string; hasSecret: boolean }) {
  const t = useT('identity')
  return (
    <>
      <TextField name="issuer" label={t('providers.issuer')} help={t('providers.issuerHelp')} isMono />
      <ProviderTest domainId={domainId} />
      <TextField name="client_id" label={t('providers.clientId')} isMono autoComplete="off" />
      <PasswordField
        name="client_secret"
        label={t('providers.secret')}
        help={hasSecret ? t('providers.secretStays') : t('providers.secretHelp')}
        isOptional
        autoComplete="off"
      />
    </>
  )
}

/** Tests the entered settings in the same way that a real sign-in uses them. */
function ProviderTest({ domainId }: { domainId: string }) {
  const t = useT('identity')
  const shell = useT('shell')
  const issuer = useWatched<string>('issuer')
  const request_timeout = useWatched<number>('request_timeout')
  const [answered, setAnswered] = useState<{ of: string; keys: number }>()
  const test = useCall(identityProviders.test, { done: ({ keys }) => setAnswered({ of: issuer, keys }) })
  return (
    <>
      <div>
        <Button
          isBusy={test.isPending}
          isDisabled={issuer.trim() === ''}
          onPress={() => {
            setAnswered(undefined)
            test.start({ params: { domain_id: domainId }, body: { issuer, request_timeout } })
          }}
        >
          {t('providers.test')}
        </Button>
      </div>
      {test.problem && <Banner tone="bad">{problemText(test.problem, shell)}</Banner>}
      {answered?.of === issuer && <Banner tone="ok">{t('providers.tested', { count: answered.keys })}</Banner>}
    </>
  )
}
