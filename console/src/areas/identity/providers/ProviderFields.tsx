import { identityProviders, unmatchedChoices } from '@mainstay/contract/identity/identity-providers'
import { useState } from 'react'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Checkbox } from '../../../patterns/form/Checkbox'
import { NumberField } from '../../../patterns/form/NumberField'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { RadioCards } from '../../../patterns/form/RadioCards'
import { TextField } from '../../../patterns/form/TextField'
import { useWatched } from '../../../patterns/form/use-watched'
import { Button } from '../../../ui/Button'
import { Disclosure } from '../../../ui/Disclosure'
import { Banner } from '../../../ui/feedback/Banner'
import { InfoIcon } from '../../../ui/icons'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { callbackAddress } from './callback-address'
import { PreviewOfClaims } from './PreviewOfClaims'
import { RulesField } from './RulesField'

interface ProviderFieldsProps {
  domainId: string
  /** Null for a new one. */
  providerId: string | null
  hasSecret?: boolean
}

/** All that is asked of a provider, with its test and what claims would give. */
export function ProviderFields({ domainId, providerId, hasSecret = false }: ProviderFieldsProps) {
  const t = useT('identity')
  return (
    <>
      <TextField
        name="name"
        label={t('providers.name')}
        help={t('providers.nameHelp')}
        autoFocus={providerId === null}
      />
      <Banner tone="idle" icon={InfoIcon} title={t('providers.callback')}>
        <p>{t('providers.callbackHelp')}</p>
        <CopyableCode>{callbackAddress(domainId)}</CopyableCode>
      </Banner>
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
      <Disclosure title={t('providers.claims')}>
        <TextField name="scope" label={t('providers.scope')} isMono />
        <TextField name="mapping.claims.name" label={t('providers.claimName')} isMono />
        <TextField name="mapping.claims.email" label={t('providers.claimEmail')} isMono />
        <TextField
          name="mapping.claims.groups"
          label={t('providers.claimGroups')}
          help={t('providers.claimHelp')}
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
      <PreviewOfClaims domainId={domainId} providerId={providerId} />
      <Checkbox name="enabled" help={t('providers.enableHelp')}>
        {t('providers.enabled')}
      </Checkbox>
    </>
  )
}

/** Asks the provider that is typed, as a sign-in would. */
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
