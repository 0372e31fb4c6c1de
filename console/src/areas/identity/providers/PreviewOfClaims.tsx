import { identityProviders, type Protocol } from '@mainstay/contract/identity/identity-providers'
import type { Mapping, MappingOutcome } from '@mainstay/contract/identity/provider-mapping'
import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Facts } from '../../../patterns/Facts'
import { Button } from '../../../ui/Button'
import { Disclosure } from '../../../ui/Disclosure'
import { Banner } from '../../../ui/feedback/Banner'
import { TextArea } from '../../../ui/fields/TextArea'
import { permissionNames, projectRoleItems } from '../user-words'

const examples: Record<Protocol, object> = {
  openid: { sub: '1234', preferred_username: 'ada', email: 'ada@company.example', groups: ['developers'] },
  saml: { sub: 'ada', email: 'ada@company.example', groups: ['developers'] },
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null && !Array.isArray(found)
      ? (found as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

interface PreviewProps {
  domainId: string
  providerId: string | null
  protocol: Protocol
}
/**
 * Previews how claims would be mapped by the form's unsaved rules. The server evaluates them as it would in a real
 * sign-in.
 */
export function PreviewOfClaims({ domainId, providerId, protocol }: PreviewProps) {
  const t = useT('identity')
  const shell = useT('shell')
  const { getValues } = useFormContext()
  const [text, setText] = useState(JSON.stringify(examples[protocol], null, 2))
  const [isWrong, setWrong] = useState(false)
  const [outcome, setOutcome] = useState<MappingOutcome>()
  const preview = useCall(identityProviders.preview, { done: setOutcome })
  function look() {
    const claims = objectIn(text)
    setWrong(claims === null)
    setOutcome(undefined)
    if (claims)
      preview.start({
        params: { domain_id: domainId },
        body: { provider_id: providerId, claims, mapping: getValues('mapping') as Mapping },
      })
  }
  return (
    <Disclosure title={t('providers.preview')}>
      <TextArea
        label={t('providers.previewClaims')}
        help={t('providers.previewHelp')}
        isMono
        rows={7}
        value={text}
        onChange={setText}
        error={isWrong ? t('providers.previewNoJson') : undefined}
      />
      <div>
        <Button isBusy={preview.isPending} onPress={look}>
          {t('providers.previewLook')}
        </Button>
      </div>
      {preview.problem && <Banner tone="bad">{problemText(preview.problem, shell)}</Banner>}
      {outcome && <Outcome outcome={outcome} />}
    </Disclosure>
  )
}

function Outcome({ outcome }: { outcome: MappingOutcome }) {
  const t = useT('identity')
  const format = useFormat()
  const { refusal, name, email, is_new, groups, projects, domain_permissions, rules } = outcome
  const roles = new Map<string, string>(projectRoleItems(t).map(({ id, label }) => [id, label]))
  if (refusal) return <Banner tone="bad">{t('providers.refused', { reason: refusal.reason })}</Banner>
  return (
    <>
      <Banner tone="ok">{t(is_new ? 'providers.previewNew' : 'providers.previewKnown', { name: name ?? '' })}</Banner>
      <Facts
        rows={[
          [t('users.login'), name],
          [t('users.email'), email],
          [t('groups.title'), format.list(groups.map((it) => it.name))],
          [t('users.may'), format.list(permissionNames({ system_permissions: [], domain_permissions }, t))],
          [
            t('projects.title'),
            format.list(
              projects.map((it) => t('providers.toProject', { name: it.name, role: roles.get(it.role) ?? '' })),
            ),
          ],
          [t('providers.rules'), format.list(rules)],
        ]}
      />
    </>
  )
}
