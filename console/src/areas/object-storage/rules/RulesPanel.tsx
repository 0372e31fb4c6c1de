import { useState, type ReactNode } from 'react'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import type { View } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Line } from '../../../patterns/Line'
import lines from '../../../patterns/lines.module.css'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { IconButton } from '../../../ui/IconButton'
import { AddIcon, DeleteIcon, EditIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import type { Held } from '../client/settings'
import css from './rules.module.css'

/** What is told of a rule. `edit` and `remove`: the names of its buttons. */
interface RuleLine {
  key: string
  name: string
  badge?: ReactNode
  notes: readonly string[]
  edit: string
  remove: string
}

interface RulesPanelProps<Rule> {
  /** Texts that begin with this word. */
  words: 'cors' | 'rules'
  view: View<Held<Rule>>
  lineOf: (rule: Rule, at: number) => RuleLine
  /** Replaces all rules of the bucket, if they are still those that are held. */
  put: (rules: readonly Rule[], held: Held<Rule>) => Promise<unknown>
  renew: () => Promise<unknown>
  /** The form of a rule; null: of a new one. */
  form: (held: Held<Rule>, rule: Rule | null, onClose: (isDone: boolean) => void) => ReactNode
}

/** Rules of a bucket, which are added, changed and deleted one by one. */
export function RulesPanel<Rule extends object>({ words, view, lineOf, put, renew, form }: RulesPanelProps<Rule>) {
  const t = useT('objectStorage')
  const mayChange = useMay()(s3Keys.update.needs)
  // with what was shown when the form was opened: what comes meanwhile is not overwritten
  const [edited, setEdited] = useState<{ rule: Rule | null; held: Held<Rule> }>()
  const remove = async (held: Held<Rule>, rule: Rule) => {
    const isSure = await confirm({
      ...{ title: t(`${words}.deleteTitle`), text: t(`${words}.deleteText`), verb: t(`${words}.delete`) },
      run: () =>
        put(
          held.rules.filter((it) => it !== rule),
          held,
        ),
    })
    if (isSure) toast(t(`${words}.deleted`))
    await renew()
  }
  const lineFor = (held: Held<Rule>, rule: Rule, at: number) => {
    const { key, name, badge, notes, edit, remove: removing } = lineOf(rule, at)
    const action = mayChange && (
      <>
        <IconButton icon={EditIcon} label={edit} onPress={() => setEdited({ rule, held })} />
        <IconButton icon={DeleteIcon} label={removing} onPress={() => void remove(held, rule)} />
      </>
    )
    return <Line key={key} {...{ name, badge, notes, action }} />
  }
  return (
    <Panel
      title={t(`${words}.title`)}
      action={
        view.data &&
        mayChange && (
          <Button icon={AddIcon} onPress={() => setEdited({ rule: null, held: view.data! })}>
            {t(`${words}.add`)}
          </Button>
        )
      }
    >
      <ViewContent view={view}>
        {(held) => (
          <>
            {held.rules.length === 0 ? (
              <p>{t(`${words}.none`)}</p>
            ) : (
              <ul className={classes(lines.list, css.flush)}>
                {held.rules.map((rule, at) => lineFor(held, rule, at))}
              </ul>
            )}
            {edited &&
              form(edited.held, edited.rule, () => {
                setEdited(undefined)
                void renew()
              })}
          </>
        )}
      </ViewContent>
    </Panel>
  )
}
