import { explanations } from '@mainstay/contract/identity/explanations'
import { useState, type ReactNode } from 'react'
import { problemText } from '../../api/problem-text'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../ui/feedback/Skeleton'
import { ComboBox } from '../../ui/fields/ComboBox'
import { TextField } from '../../ui/fields/TextField'
import { acts, isAboutOne, type Act } from './acts'
import { PermissionAnswer } from './PermissionAnswer'
import css from './permissions.module.css'

export interface ProjectField {
  value: string | null
  onChange: (id: string | null) => void
}

interface PermissionPanelProps {
  /** Whom it is about; oneself where left out. */
  userId?: string
  /** The field in which the project is chosen where the user would act; null: in none. */
  projectField: (bound: ProjectField) => ReactNode
  /** What is done about a missing role. */
  remedy?: ReactNode
}

/** Asks why somebody may do something, or may not, and shows what the server answers. */
export default function PermissionPanel({ userId, projectField, remedy }: PermissionPanelProps) {
  const t = useT('permissions')
  const shell = useT('shell')
  const [act, setAct] = useState<Act | null>(null)
  const [project, setProject] = useState<string | null>(null)
  const [object, setObject] = useState('')
  const object_id = act && isAboutOne(act) ? object.trim() : ''
  const view = useView(
    explanations.explain,
    {},
    {
      query: {
        call: act ?? '',
        ...(userId !== undefined && { user_id: userId }),
        ...(project !== null && { project_id: project }),
        ...(object_id !== '' && { object_id }),
      },
      isEnabled: act !== null,
      isUnscoped: userId === undefined,
    },
  )
  const { data, problem } = view
  return (
    <div className={css.panel}>
      <div className={css.question}>
        <ComboBox<Act>
          label={t('act')}
          placeholder={t('act.choose')}
          items={acts.map((id) => ({ id, label: t(`act.${id}`) }))}
          value={act}
          onChange={setAct}
        />
        {projectField({ value: project, onChange: setProject })}
        {act && isAboutOne(act) && (
          <TextField
            className={css.object}
            label={t('object')}
            help={t('object.help')}
            isMono
            value={object}
            onChange={setObject}
          />
        )}
      </div>
      {act === null ? (
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
        <PermissionAnswer said={data} remedy={remedy} />
      )}
    </div>
  )
}
