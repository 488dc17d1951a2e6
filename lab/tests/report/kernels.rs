//! The parts of the page about the official HPCC and its kernels, and about longest common subsequences.

use super::section;

/// What the fixtures have in these parts.
pub fn check(page: &str) {
    let hpcc = section(page, "hpcc");
    assert!(hpcc.contains("<td>3.00</td>") && hpcc.contains("order 4000"), "{hpcc}");
    assert!(hpcc.contains("DGEMM (not replaced)") && hpcc.contains("factor of 1.01"), "{hpcc}");
    let fft = section(page, "fft");
    assert!(fft.contains("<td>×1.60</td>") && fft.contains("hcube, six steps, measured: 2^20"), "{fft}");
    let stream = section(page, "stream");
    assert!(stream.contains("<td>×1.53</td>") && stream.contains("streaming stores"), "{stream}");
    let transforms = section(page, "fft-machines");
    assert!(transforms.contains("<td>125.0</td>") && transforms.contains("<td>2^36</td>"), "{transforms}");
    let hpl = section(page, "hpl-machines");
    assert!(hpl.contains("<td>64 x 64</td>") && hpl.contains("<td>80 %</td>"), "{hpl}");
    let panels = section(page, "panels");
    assert!(panels.contains("<td>×2.50</td>") && panels.contains("1000 µs of work"), "{panels}");
    let llcs = section(page, "llcs");
    assert!(llcs.contains("<td>×5.00</td>") && llcs.contains("hcube, measured: 10^4, 150"), "{llcs}");
    assert!(llcs.contains(">selected grid, cost model<"), "{llcs}");
}
