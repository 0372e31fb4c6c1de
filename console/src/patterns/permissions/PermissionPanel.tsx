import { explanations } from '@mainstay/contract/identity/explanations'
import { useState, type ReactNode } from 'react'
import { problemText } from '../../api/problem-text'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { useMay } from '../../session/may'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../ui/feedback/Skeleton'
import { ComboBox } from '../../ui/fields/ComboBox'
import { HolderList } from './HolderList'
import { PermissionAnswer } from './PermissionAnswer'
import css from './permissions.module.css'
import { ObjectField } from './ObjectField'
import { useExplainedCalls } from './use-explained-calls'

export interface ProjectField {
  value: string | null
  onChange: (id: string | null) => void
}

interface PermissionPanelProps {
  /** The user to check; default: the current user. */
  userId?: string
  /** Renders the field that selects the project to act in; null means no project. */
  projectField: (bound: ProjectField) => ReactNode
  /** How to obtain a missing role. */
  remedy?: ReactNode
  /** The initial call, object and project. */
  start?: { call: string; thing: { id: string; name: string }; project: string | null }
}

/** Explains why a user may or may not make a call, as determined by the server. */
export default function PermissionPanel({ userId, projectField, remedy, start }: PermissionPanelProps) {
  const t = useT('permissions')
  const shell = useT('shell')
  const may = useMay()
  const calls = useExplainedCalls()
  const [call, setCall] = useState<string | null>(start?.call ?? null)
  const [project, setProject] = useState<string | null>(start?.project ?? null)
  const [thing, setThing] = useState(start?.thing ?? null)
  const act = calls.data?.find(({ name }) => name === call)
  const query = {
    call: call ?? '',
    ...(project !== null && { project_id: project }),
    ...(act?.is_about_one && thing && { object_id: thing.id }),
  }
  const view = useView(
    explanations.explain,
    {},
    {
      query: { ...query, ...(userId !== undefined && { user_id: userId }) },
      isEnabled: act !== undefined,
      isUnscoped: userId === undefined,
    },
  )
  const { data, problem } = view
  if (calls.problem)
    return (
      <ErrorPanel
        title={t('failed')}
        why={problemText(calls.problem, shell)}
        id={calls.problem.requestId}
        onRetry={calls.reload}
      />
    )
  if (!calls.data) return <Skeleton width="60%" />
  return (
    <div className={css.panel}>
      <div className={css.question}>
        <ComboBox
          label={t('act')}
          placeholder={t('act.choose')}
          items={calls.data.map(({ name, label }) => ({ id: name, label }))}
          value={act ? call : null}
          onChange={(chosen) => {
            setCall(chosen)
            // the new call applies to another kind of object
            if (chosen?.split('.')[0] !== call?.split('.')[0]) setThing(null)
          }}
        />
        {act?.is_about_one && (
          <ObjectField key={act.name.split('.')[0]} {...{ act, project }} value={thing} onChange={setThing} />
        )}
        {projectField({ value: project, onChange: setProject })}
      </div>
      {act === undefined ? (
        <p className={css.hint}>{t('hint')}</p>
      ) : problem ? (
        <ErrorPanel
          title={t('failed')}
          why={problem.kind === 'not-found' ? t('failed.notFound') : problemText(problem, shell)}
          id={problem.requestId}
          onRetry={problem.kind === 'not-found' ? undefined : view.reload}
        />
      ) : data === undefined ? (
        <Skeleton width="60%" />
      ) : (
        <PermissionAnswer
          said={data}
          remedy={remedy}
          holders={
            may(explanations.holders.needs) && (
              <HolderList key={JSON.stringify(query)} query={query} project={data.scope.project?.name ?? ''} />
            )
          }
        />
      )}
    </div>
  )
}
