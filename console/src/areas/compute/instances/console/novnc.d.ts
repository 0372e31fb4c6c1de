// Types for the part of noVNC 1.7 that we use, based on its docs/API.md. noVNC ships no types.
declare module '@novnc/novnc' {
  interface RfbEvents {
    connect: Event
    disconnect: CustomEvent<{ clean: boolean }>
    securityfailure: CustomEvent<{ status: number; reason?: string }>
    desktopname: CustomEvent<{ name: string }>
  }

  export default class RFB {
    constructor(target: HTMLElement, address: string, options?: { shared?: boolean; wsProtocols?: string[] })
    scaleViewport: boolean
    clipViewport: boolean
    dragViewport: boolean
    focusOnClick: boolean
    background: string
    qualityLevel: number
    showDotCursor: boolean
    addEventListener<Name extends keyof RfbEvents>(name: Name, listener: (event: RfbEvents[Name]) => void): void
    disconnect(): void
    sendKey(keysym: number, code: string | null, down?: boolean): void
    sendCtrlAltDel(): void
    focus(options?: FocusOptions): void
    blur(): void
  }
}
