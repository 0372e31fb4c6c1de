import { useState } from 'react'
import { saveAsFile } from '../../api/transfers/download'
import { Button } from '../../ui/Button'
import { Banner } from '../../ui/feedback/Banner'
import { DownloadIcon } from '../../ui/icons'
import { Dialog } from '../../ui/overlays/Dialog'
import { CodeBlock } from '../../ui/values/CodeBlock'
import css from './OneTimeSecretDialog.module.css'

interface OneTimeSecretDialogProps {
  title: string
  /** Says that the secret cannot be shown again. */
  warning: string
  /** The parts of the secret with their labels. */
  parts: readonly { label: string; text: string }[]
  saveVerb: string
  file: { name: string; content: string; type: string }
  closeVerb: string
  /** `isSaved`: whether the file was saved. */
  onClose: (isSaved: boolean) => void
}

/** Shows a new secret, which is available only once, and offers to save it. */
export function OneTimeSecretDialog(props: OneTimeSecretDialogProps) {
  const { title, warning, parts, saveVerb, file, closeVerb, onClose } = props
  const [isSaved, setSaved] = useState(false)
  const save = () => {
    saveAsFile(file.name, file.content, file.type)
    setSaved(true)
  }
  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      size="normal"
      title={title}
      onClose={() => onClose(isSaved)}
      footer={
        <>
          <Button onPress={() => onClose(isSaved)} variant={isSaved ? 'primary' : 'quiet'}>
            {closeVerb}
          </Button>
          <Button icon={DownloadIcon} variant={isSaved ? 'quiet' : 'primary'} onPress={save}>
            {saveVerb}
          </Button>
        </>
      }
    >
      <div className={css.parts}>
        <Banner tone="warn">{warning}</Banner>
        {parts.map(({ label, text }) => (
          <CodeBlock key={label} label={label}>
            {text}
          </CodeBlock>
        ))}
      </div>
    </Dialog>
  )
}
