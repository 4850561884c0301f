/// Which part of a square of CTAs is in sight. Units are CTAs; x is the writer, y the reader.

export class View {
  x = 0;
  y = 0;
  /** CTAs from one side to the other. */
  span: number;

  constructor(readonly ctas: number, private readonly closest = 8) {
    this.span = ctas;
  }

  reset() {
    this.x = this.y = 0;
    this.span = this.ctas;
  }

  /** Makes the visible part `factor` times as long; the place at (fx, fy), fractions of the picture, stays. */
  zoom(factor: number, fx = 0.5, fy = 0.5) {
    const span = Math.min(this.ctas, Math.max(Math.min(this.closest, this.ctas), this.span * factor));
    this.x += (this.span - span) * fx;
    this.y += (this.span - span) * fy;
    this.span = span;
    this.keepInside();
  }

  /** Moves by fractions of the picture. */
  pan(fx: number, fy: number) {
    this.x += fx * this.span;
    this.y += fy * this.span;
    this.keepInside();
  }

  private keepInside() {
    const last = this.ctas - this.span;
    this.x = Math.min(last, Math.max(0, this.x));
    this.y = Math.min(last, Math.max(0, this.y));
  }
}
