import { useRef, useState, type RefObject } from 'react'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Banner } from '../../../../ui/feedback/Banner'
import { Button } from '../../../../ui/Button'
import { Dialog } from '../../../../ui/overlays/Dialog'
import { ProgressBar } from '../../../../ui/feedback/ProgressBar'
import { Select } from '../../../../ui/fields/Select'
import { TextArea } from '../../../../ui/fields/TextArea'
import { keepLayout, keptLayout } from './kept-choices'
import { layouts, type LayoutId } from './keyboard-layouts'
import { textToPresses, untypable } from './keysyms'
import type { OpenScreen } from './open-screen'
import { typeSlowly } from './type-slowly'
import css from './PasteDialog.module.css'

const layoutItems = (Object.keys(layouts) as LayoutId[]).map((id) => ({ id, label: layouts[id].name }))

interface PasteDialogProps {
  screen: RefObject<OpenScreen | undefined>
  onClose: () => void
}

/** Types text into the guest key by key, after the user has reviewed it. For guests without a shared clipboard. */
export function PasteDialog({ screen, onClose }: PasteDialogProps) {
  const t = useT('console')
  const patterns = useT('patterns')
  const format = useFormat()
  const [text, setText] = useState('')
  const [layout, setLayout] = useState(keptLayout)
  const [typed, setTyped] = useState<number>()
  const abort = useRef<AbortController>(undefined)
  const presses = textToPresses(text, layout)
  const foreign = untypable(text, layout)
  const lines = text === '' ? 0 : text.split(/\r\n?|\n/).length

  async function send() {
    const controller = (abort.current = new AbortController())
    setTyped(0)
    await typeSlowly(presses, (press) => screen.current?.press(press), {
      signal: controller.signal,
      onStep: setTyped,
    })
    onClose()
  }
  const close = () => {
    abort.current?.abort()
    onClose()
  }

  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      size="normal"
      title={t('console.paste')}
      onClose={close}
      footer={
        <>
          <Button onPress={close}>{typed === undefined ? patterns('cancel') : t('console.stopTyping')}</Button>
          <Button
            variant="primary"
            isBusy={typed !== undefined}
            disabledBecause={presses.length === 0 ? t('console.pasteEmpty') : undefined}
            onPress={() => void send()}
          >
            {t('console.type', { count: presses.length })}
          </Button>
        </>
      }
    >
      <div className={css.fields}>
        {typed === undefined ? (
          <>
            <TextArea
              label={t('console.text')}
              help={t('console.textHelp', { count: lines })}
              className={css.text}
              isMono
              autoFocus
              value={text}
              onChange={setText}
            />
            <Select
              label={t('console.layout')}
              help={t('console.layoutHelp')}
              items={layoutItems}
              value={layout}
              onChange={(next) => {
                setLayout(next)
                keepLayout(next)
              }}
            />
            {foreign.length > 0 && (
              <Banner tone="warn">{t('console.untypable', { characters: foreign.slice(0, 20).join(' ') })}</Banner>
            )}
          </>
        ) : (
          <ProgressBar
            label={t('console.typing')}
            share={typed / Math.max(1, presses.length)}
            detail={t('console.typed', { typed: format.number(typed), all: format.number(presses.length) })}
          />
        )}
      </div>
    </Dialog>
  )
}
