import type { ApiToken } from '@mainstay/contract/identity/account'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/use-t'
import { toast } from '../../notices/notices'
import { Button } from '../../ui/Button'
import { Badge } from '../../ui/values/Badge'
import { Time } from '../../ui/values/Time'
import { confirm } from '../dialogs/confirm'
import { Line } from '../Line'
import css from '../lines.module.css'

interface TokenListProps {
  tokens: readonly ApiToken[]
  /** Describes the scope of a token that is not limited to a project. */
  everywhere?: (token: ApiToken) => string
  /** Omitted if tokens cannot be revoked here. */
  revoke?: ((token: ApiToken, signal: AbortSignal) => Promise<unknown>) | undefined
  /** Additional actions for a token. */
  more?: (token: ApiToken) => ReactNode
}

/** API tokens with their permissions, expiry and last use. */
export function TokenList({ tokens, everywhere, revoke, more }: TokenListProps) {
  const t = useT('account')
  const ask = (token: ApiToken) =>
    void confirm({
      title: t('token.revokeQuestion', { name: token.name }),
      text: t('token.revokeText'),
      verb: t('token.revoke'),
      isDanger: true,
      run: async (signal) => {
        await revoke?.(token, signal)
        toast(t('token.revoked', { name: token.name }))
      },
    })
  return (
    <ul className={css.list}>
      {tokens.map((token) => (
        <Line
          key={token.id}
          name={token.name}
          badge={token.read_only && <Badge>{t('token.readOnly')}</Badge>}
          notes={[
            token.project_id === null ? (
              everywhere?.(token)
            ) : (
              <bdi key="in">{token.project_name ?? t('token.projectGone')}</bdi>
            ),
            token.last_used_at === null
              ? t('token.unused')
              : t('token.used', { when: <Time key="used" at={token.last_used_at} /> }),
            t('token.expires', { when: <Time key="ends" at={token.expires_at} /> }),
          ]}
          action={
            <>
              {more?.(token)}
              {revoke && (
                <Button aria-label={t('token.revokeNamed', { name: token.name })} onPress={() => ask(token)}>
                  {t('token.revoke')}
                </Button>
              )}
            </>
          }
        />
      ))}
    </ul>
  )
}
