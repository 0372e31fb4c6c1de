import { account, type ApiToken } from '@mainstay/contract/identity/account'
import { useState } from 'react'
import { update } from '@mainstay/contract/core/endpoint'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { toast } from '../../notices/notices'
import { confirm } from '../../patterns/confirm'
import { useMay } from '../../session/may'
import { Button } from '../../ui/Button'
import { Badge } from '../../ui/values/Badge'
import { Time } from '../../ui/values/Time'
import css from './account.module.css'
import { ApiTokenForm, MadeToken } from './ApiTokenForm'
import { Line, Section } from './Section'

const unscoped = { isUnscoped: true }

/** Tokens for programs: what each may do, until when, and when it was used. */
export function ApiTokens() {
  const t = useT('account')
  const may = useMay()
  const view = useView(account.tokens, {}, unscoped)
  const revoke = useCall(account.revokeToken, { refresh: [account.tokens] })
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<{ name: string; token: string }>()
  const ask = ({ id, name }: ApiToken) =>
    void confirm({
      title: t('token.revokeQuestion', { name }),
      text: t('token.revokeText'),
      verb: t('token.revoke'),
      isDanger: true,
      run: async (signal) => {
        await revoke.run({ params: { id } }, { signal, ...unscoped })
        toast(t('token.revoked', { name }))
      },
    })
  return (
    <>
      <Section
        title={t('tokens')}
        help={t(view.data?.is_available === false ? 'tokens.unavailable' : 'tokens.help')}
        view={view}
        actions={
          view.data?.is_available &&
          may(update('account')) && <Button onPress={() => setAdding(true)}>{t('token.add')}</Button>
        }
      >
        {({ data, is_available }) =>
          data.length === 0 ? (
            is_available && <p>{t('tokens.empty')}</p>
          ) : (
            <ul className={css.list}>
              {data.map((token) => (
                <Line
                  key={token.id}
                  name={token.name}
                  badge={token.read_only && <Badge>{t('token.readOnly')}</Badge>}
                  notes={[
                    token.project_id === null ? (
                      t(token.read_only ? 'token.everythingSeen' : 'token.everything')
                    ) : (
                      <bdi key="in">{token.project_name ?? t('token.projectGone')}</bdi>
                    ),
                    token.last_used_at === null
                      ? t('token.unused')
                      : t('token.used', { when: <Time key="used" at={token.last_used_at} /> }),
                    t('token.expires', { when: <Time key="ends" at={token.expires_at} /> }),
                  ]}
                  action={
                    <Button aria-label={t('token.revokeNamed', { name: token.name })} onPress={() => ask(token)}>
                      {t('token.revoke')}
                    </Button>
                  }
                />
              ))}
            </ul>
          )
        }
      </Section>
      {isAdding && <ApiTokenForm onMade={setMade} onClose={() => setAdding(false)} />}
      {made && <MadeToken {...made} onClose={() => setMade(undefined)} />}
    </>
  )
}
