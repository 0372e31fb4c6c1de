import type { ApiToken } from '@mainstay/contract/identity/account'
import { projectKind, projects } from '@mainstay/contract/identity/projects'
import { serviceTokens } from '@mainstay/contract/identity/service-tokens'
import type { User } from '@mainstay/contract/identity/users'
import { useState } from 'react'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { NewTokenDialog } from '../../../patterns/api-tokens/NewTokenDialog'
import { ReplaceTokenForm, TokenForm } from '../../../patterns/api-tokens/TokenForm'
import { TokenList } from '../../../patterns/api-tokens/TokenList'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { AddIcon } from '../../../ui/icons'

const refresh = [serviceTokens.list]

/** The tokens of a service account, which programs use to authenticate. */
export function UserTokens({ user: { id, domain_id, assigned_projects } }: { user: User }) {
  const t = useT('identity')
  const account = useT('account')
  const shell = useT('shell')
  const may = useMay()
  const params = { id, domain_id }
  const view = useView(serviceTokens.list, params)
  const [isAdding, setAdding] = useState(false)
  const [replaced, setReplaced] = useState<ApiToken>()
  const [made, setMade] = useState<{ name: string; token: string }>()
  const create = useCall(serviceTokens.create, { refresh, done: setMade })
  const replace = useCall(serviceTokens.replace, { refresh, done: setMade })
  const revoke = useCall(serviceTokens.revoke, { refresh })
  const { rows, isLoading } = useList(projects.list, projectKind, {
    stateIn: 'memory',
    only: { id: `in:${assigned_projects.map((it) => it.project_id).join(',')}` },
    limit: assigned_projects.length,
  })
  const { data, problem } = view
  if (problem)
    return (
      <ErrorPanel
        title={t('tokens.failed')}
        why={problemText(problem, shell)}
        id={problem.requestId}
        onRetry={view.reload}
      />
    )
  if (!data) return <Skeleton width="60%" />
  if (!data.is_available) return <EmptyState>{account('tokens.unavailable')}</EmptyState>
  const add = may(serviceTokens.create.needs) && (
    <Button icon={AddIcon} onPress={() => setAdding(true)}>
      {account('token.add')}
    </Button>
  )
  return (
    <>
      {data.data.length === 0 ? (
        <EmptyState action={add}>{t('tokens.empty')}</EmptyState>
      ) : (
        <>
          {add}
          <TokenList
            tokens={data.data}
            revoke={
              may(serviceTokens.revoke.needs)
                ? (token, signal) => revoke.run({ params: { ...params, token_id: token.id } }, { signal })
                : undefined
            }
            more={(token) =>
              may(serviceTokens.replace.needs) && (
                <Button
                  aria-label={account('token.replaceNamed', { name: token.name })}
                  onPress={() => setReplaced(token)}
                >
                  {account('token.replace')}
                </Button>
              )
            }
          />
        </>
      )}
      {/* render only when the projects are loaded, so that a single project can be preselected */}
      {isAdding && !isLoading && (
        <TokenForm
          places={rows.map((project) => ({ id: project.id, label: project.name }))}
          readOnlyHelp={t('tokens.readOnlyHelp')}
          send={({ place, ...draft }) => create.run({ params, body: { ...draft, project_id: place } })}
          onClose={() => setAdding(false)}
        />
      )}
      {replaced && (
        <ReplaceTokenForm
          name={replaced.name}
          send={(expires_at) => replace.run({ params: { ...params, token_id: replaced.id }, body: { expires_at } })}
          onClose={() => setReplaced(undefined)}
        />
      )}
      {made && <NewTokenDialog {...made} onClose={() => setMade(undefined)} />}
    </>
  )
}
