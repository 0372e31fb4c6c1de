import { account } from '@mainstay/contract/identity/account'
import { useState } from 'react'
import { update } from '@mainstay/contract/core/endpoint'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { NewTokenDialog } from '../../patterns/api-tokens/NewTokenDialog'
import { TokenForm } from '../../patterns/api-tokens/TokenForm'
import { TokenList } from '../../patterns/api-tokens/TokenList'
import { useMay } from '../../session/may'
import { useSession } from '../../session/session'
import { Button } from '../../ui/Button'
import { Section } from './Section'

const unscoped = { isUnscoped: true }
const everything = 'everything'

/** The current user's API tokens. */
export function ApiTokens() {
  const t = useT('account')
  const may = useMay()
  const projects = useSession((session) => session.projects)
  const view = useView(account.tokens, {}, unscoped)
  const revoke = useCall(account.revokeToken, { refresh: [account.tokens] })
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<{ name: string; token: string }>()
  const create = useCall(account.createToken, { refresh: [account.tokens], done: setMade })
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
            <TokenList
              tokens={data}
              everywhere={({ read_only }) => t(read_only ? 'token.everythingSeen' : 'token.everything')}
              revoke={({ id }, signal) => revoke.run({ params: { id } }, { signal, ...unscoped })}
            />
          )
        }
      </Section>
      {isAdding && (
        <TokenForm
          places={[
            { id: everything, label: t('token.everything') },
            ...projects.filter(({ enabled }) => enabled).map(({ id, name }) => ({ id, label: name })),
          ]}
          readOnlyHelp={t('token.readOnlyHelp')}
          send={({ place, ...draft }) =>
            create.run({ body: { ...draft, project_id: place === everything ? null : place } }, unscoped)
          }
          onClose={() => setAdding(false)}
        />
      )}
      {made && <NewTokenDialog {...made} onClose={() => setMade(undefined)} />}
    </>
  )
}
