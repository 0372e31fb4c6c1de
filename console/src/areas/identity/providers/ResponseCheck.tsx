import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { useState } from 'react'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Button } from '../../../ui/Button'
import { Disclosure } from '../../../ui/Disclosure'
import { Banner } from '../../../ui/feedback/Banner'
import { TextArea } from '../../../ui/fields/TextArea'
import { CodeBlock } from '../../../ui/values/CodeBlock'

type Outcome = { refusal: { message: string } | null; claims: Record<string, unknown> | null }

/** Checks a SAML response and shows its claims, or the reason why it is refused. It does not sign anyone in. */
export function ResponseCheck({ domainId, providerId }: { domainId: string; providerId: string }) {
  const t = useT('identity')
  const shell = useT('shell')
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState<Outcome>()
  const check = useCall(identityProviders.readResponse, { done: setOutcome })
  return (
    <Disclosure title={t('providers.response')}>
      <TextArea
        label={t('providers.responseText')}
        help={t('providers.responseHelp')}
        isMono
        rows={5}
        value={text}
        onChange={(value: string) => {
          setText(value)
          setOutcome(undefined)
        }}
      />
      <div>
        <Button
          isBusy={check.isPending}
          isDisabled={text.trim() === ''}
          onPress={() =>
            check.start({ params: { domain_id: domainId, id: providerId }, body: { response: text.trim() } })
          }
        >
          {t('providers.responseCheck')}
        </Button>
      </div>
      {check.problem && <Banner tone="bad">{problemText(check.problem, shell)}</Banner>}
      {outcome?.refusal && (
        <Banner tone="bad" title={t('providers.responseRefused')}>
          {outcome.refusal.message}
        </Banner>
      )}
      {outcome?.claims && (
        <>
          <Banner tone="ok">{t('providers.responseTaken')}</Banner>
          <CodeBlock label={t('providers.responseTaken')}>{JSON.stringify(outcome.claims, null, 2)}</CodeBlock>
        </>
      )}
    </Disclosure>
  )
}
