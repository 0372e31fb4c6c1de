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

/** How a rule is displayed. `edit` and `remove`: accessible names of its buttons. */
interface RuleLine {
  key: string
  name: string
  badge?: ReactNode
  notes: readonly string[]
  edit: string
  remove: string
}

interface RulesPanelProps<Rule> {
  /** Prefix for the text keys. */
  words: 'cors' | 'rules'
  view: View<Held<Rule>>
  lineOf: (rule: Rule, at: number) => RuleLine
  /** Replaces all of the bucket's rules if they have not changed since they were read. */
  put: (rules: readonly Rule[], held: Held<Rule>) => Promise<unknown>
  renew: () => Promise<unknown>
  /** Renders the form for a rule; `rule` is null for a new one. */
  form: (held: Held<Rule>, rule: Rule | null, onClose: (isDone: boolean) => void) => ReactNode
}

/** A bucket's rules, which can be added, edited and deleted one by one. */
export function RulesPanel<Rule extends object>({ words, view, lineOf, put, renew, form }: RulesPanelProps<Rule>) {
  const t = useT('objectStorage')
  const mayChange = useMay()(s3Keys.update.needs)
  // keep the rules shown when the form was opened, so that a save detects concurrent changes
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
